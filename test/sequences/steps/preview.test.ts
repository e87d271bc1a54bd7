import fc from 'fast-check';
import { type ComparedStep, previewSteps } from '../../../src/sequences/steps/preview.rules.ts';
import { orderAfterEdit, transitionsOf } from '../../../src/sequences/steps/rules.ts';
import { emailStep, inDomain, smsStep } from '../../support/sequences.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const stepOf = (id: string, is_deleted = false): ComparedStep => ({
  id,
  is_deleted,
  delay_in_minutes: 0,
  action: { id },
});

/**
 * Returns the steps after an edit to the listed ones, in the order of the service. `+x` is a new one, `x!` a changed
 * one.
 */
function edited(before: ComparedStep[], listed: string[]): ComparedStep[] {
  const ids = listed.map((text) => text.replace(/[+!]/, ''));
  const order = orderAfterEdit(
    before.map(({ id }) => id),
    ids,
  );
  return order.map((id) => {
    const place = ids.indexOf(id);
    return { ...stepOf(id, place === -1), delay_in_minutes: listed[place]?.endsWith('!') === true ? 5 : 0 };
  });
}
const previewOf = (stored: string[], listed: string[], standings: [string | null, number][]) => {
  const before = stored.map((id) => stepOf(id));
  return previewSteps(before, edited(before, listed), new Map(standings));
};

describe('the preview of an edit', () => {
  const standings: [string | null, number][] = [
    [null, 5],
    ['a', 3],
    ['b', 2],
  ]; // before a, b and c; two are past b

  it.each([
    ['no change', ['a', 'b', 'c'], ['a kept 5/5/5', 'b kept 8/3/2', 'c kept 10/2/0']],
    ['a changed step', ['a', 'b!', 'c'], ['a kept 5/5/5', 'b changed 8/3/2', 'c kept 10/2/0']],
    [
      'a step inserted before all',
      ['+x', 'a', 'b', 'c'],
      ['x added 5/5/5', 'a kept 5/0/5', 'b kept 8/3/2', 'c kept 10/2/0'],
    ],
    [
      'a step inserted in between',
      ['a', '+x', 'b', 'c'],
      ['a kept 5/5/5', 'x added 8/3/2', 'b kept 8/0/2', 'c kept 10/2/0'],
    ],
    [
      'a step added after all',
      ['a', 'b', 'c', '+x'],
      ['a kept 5/5/5', 'b kept 8/3/2', 'c kept 10/2/0', 'x added 10/0/0'],
    ],
    ['a step removed', ['a', 'c'], ['a kept 5/5/5', 'c kept 10/5/0', 'b removed 8/3/2']],
    ['the first steps removed', ['c'], ['c kept 10/10/0', 'a removed 5/5/5', 'b removed 8/3/2']],
    ['the order reversed', ['c', 'b', 'a'], ['c moved 5/5/5', 'b kept 5/0/5', 'a moved 7/2/3']],
    ['everything replaced', ['+x'], ['x added 10/10/0', 'a removed 5/5/5', 'b removed 8/3/2', 'c removed 10/2/0']],
  ])('counts the enrollments before, at and after each step: %s', (_, listed, expected) => {
    const preview = previewOf(['a', 'b', 'c'], listed, standings);
    const after = listed.map((text) => text.replace(/[+!]/, ''));
    const removed = ['a', 'b', 'c'].filter((id) => !after.includes(id));
    const shown = preview.map(
      ({ id, change, before, at, after: past }, i) => `${id ?? after[i]} ${change} ${before}/${at}/${past}`,
    );
    expect(shown).toEqual(expected);
    expect(preview.map(({ index }) => index)).toEqual([...after.keys(), ...removed.map(() => null)]);
  });

  it('describes the effect in a sentence', () => {
    const sentences = previewOf(['a', 'b', 'c'], ['a!', '+x', 'c'], standings).map(({ effect }) => effect);
    expect(sentences).toEqual([
      '5 will get it as changed, 5 of them next; 5 passed it before the change',
      '10 will get it, 5 of them next; 0 have passed its place and will not',
      '10 will get it, 0 of them next; 0 passed it',
      '8 will not get it any more, and 3 of them continue with the next step; 2 passed it',
    ]);
  });

  it('counts each enrollment once for each step, and at the step only if it comes next', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 });
    const counts = fc.array(fc.nat({ max: 9 }), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(ids, ids, ids, counts, (first, second, third, numbers) => {
        const stored = edited(
          first.map((id) => stepOf(id)),
          second,
        );
        const places = [null, ...stored.map(({ id }) => id)];
        const standings = new Map(places.map((place, i) => [place, numbers[i] ?? 0]));
        const all = [...standings.values()].reduce((sum, count) => sum + count, 0);
        const target = edited(stored, third);
        const preview = previewSteps(stored, target, standings);
        for (const { before, at, after } of preview) {
          expect(before + after).toBe(all);
          expect(at).toBeLessThanOrEqual(before);
        }
        const moves = transitionsOf(target);
        const comeNext = (id: string) =>
          [...standings]
            .filter(([place]) => moves.find(({ after }) => after === place)?.next?.id === id)
            .reduce((sum, [, count]) => sum + count, 0);
        const present = target.filter(({ is_deleted }) => !is_deleted);
        expect(preview.slice(0, present.length).map(({ at }) => at)).toEqual(present.map(({ id }) => comeNext(id)));
      }),
    );
  });
});

describe('PATCH with preview', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  /**
   * Creates a sequence of three steps with three contacts at its beginning, two past its first step and one past its
   * second.
   */
  const underWay = async () => {
    const steps = [emailStep('One'), emailStep('Two', 60), smsStep('Three', 60)];
    const { body } = await api.org.post('/sequences', { filter: inDomain('way.example'), steps });
    const path = `/sequences/${body.id}`;
    const contacts = Array.from({ length: 6 }, (_, i) => ({ email: `c${i}@way.example` }));
    await api.org.post(`${path}/contacts`, { contacts });
    const sequence = (await api.org.get(path)).body;
    const [one, two] = sequence.steps;
    const { items } = (await api.org.get(`${path}/enrollments`)).body;
    for (const [i, { id }] of items.entries()) {
      const place = i < 3 ? null : i < 5 ? one.id : two.id;
      await api.db.updateTable('enrollments').set({ last_step_id: place }).where('id', '=', id).execute();
    }
    return { path, sequence, steps: sequence.steps };
  };
  const state = async (path: string) => [(await api.org.get(path)).body, (await api.org.get(`${path}/stats`)).body];

  it('changes nothing, and reports the effect of the same PATCH', async () => {
    const { path, steps } = await underWay();
    const [one, two, three] = steps;
    const change = {
      name: 'Changed',
      gates: { daily_cap: 1 },
      steps: [{ ...two, delay_in_minutes: 5 }, emailStep('New'), one],
    };
    const before = await state(path);
    const { status, body } = await api.org.patch(path, { ...change, preview: true });
    expect(status).toBe(200);
    expect(await state(path)).toEqual(before);
    const changes = body.steps.map((step: Record<string, unknown>) => [step.id, step.index, step.change]);
    expect(changes).toEqual([
      [two.id, 0, 'changed'],
      [null, 1, 'added'],
      [one.id, 2, 'moved'],
      [three.id, null, 'removed'],
    ]);

    expect((await api.org.patch(path, change)).status).toBe(200);
    const [sequence, stats] = await state(path);
    expect(sequence).toMatchObject({ name: 'Changed', gates: { daily_cap: 1 } });
    const foreseen = body.steps.filter(({ index }: { index: number | null }) => index !== null);
    expect(stats.steps.map(({ due }: { due: number }) => due)).toEqual(foreseen.map(({ at }: { at: number }) => at));
    expect(foreseen.map(({ before, at, after }: Record<string, number>) => [before, at, after])).toEqual([
      [3, 3, 3],
      [4, 1, 2],
      [4, 0, 2],
    ]);
  });

  it('recognizes unchanged steps with their fields in another order', async () => {
    const { path, steps } = await underWay();
    const turned = steps.map(({ id, action, delay_in_minutes }: Record<string, unknown>) => {
      const { type, data } = action as { type: string; data: object };
      return { delay_in_minutes, action: { data: Object.fromEntries(Object.entries(data).reverse()), type }, id };
    });
    const { body } = await api.org.patch(path, { steps: turned, preview: true });
    expect(body.steps.map(({ change }: { change: string }) => change)).toEqual(['kept', 'kept', 'kept']);
    const unnamed = await api.org.patch(path, { name: 'Other', preview: true });
    expect(unnamed.body).toEqual(body);
  });

  it('knows steps without an id by what they do, each once, and takes any other for a new one', async () => {
    const { path, steps } = await underWay();
    const withoutIds = steps.map(({ action, delay_in_minutes }: Record<string, unknown>) => ({
      action,
      delay_in_minutes,
    }));
    const [first, second, third] = withoutIds;
    const changesOf = async (listed: unknown[]) =>
      (await api.org.patch(path, { steps: listed, preview: true })).body.steps.map(
        ({ change }: { change: string }) => change,
      );
    expect(await changesOf(withoutIds)).toEqual(['kept', 'kept', 'kept']);
    expect(await changesOf([first, first, second, third])).toEqual(['kept', 'added', 'kept', 'kept']);
    expect(await changesOf([first, steps[0], second, third])).toEqual(['added', 'kept', 'kept', 'kept']);
    const later = { ...second, delay_in_minutes: 99 };
    expect(await changesOf([first, later, third])).toEqual(['kept', 'added', 'kept', 'removed']);
    await api.org.patch(path, { name: 'Renamed', steps: withoutIds });
    const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);
    expect(idsOf((await api.org.get(path)).body.steps)).toEqual(idsOf(steps));
  });

  it('is rejected if the change would be', async () => {
    const { path, steps } = await underWay();
    const call = {
      delay_in_minutes: 0,
      action: { type: 'make_phone_calls', data: { aiPhoneAgentId: crypto.randomUUID() } },
    };
    const inNoSegment = { or: [{ and: [{ type: 'contact_belongs_to_segment', segment_id: crypto.randomUUID() }] }] };
    const changes = [
      { steps: [] },
      { steps: [{ ...steps[0], id: crypto.randomUUID() }] },
      { steps: [call] },
      { filter: inNoSegment },
    ];
    for (const change of changes) {
      const real = await api.org.patch(path, change);
      const preview = await api.org.patch(path, { ...change, preview: true });
      expect([preview.status, preview.body]).toEqual([400, real.body]);
    }
    expect((await api.other.patch(path, { steps, preview: true })).status).toBe(404);
    await api.org.put(`${path}/cancel`);
    for (const change of [{ steps }, { filter: null }, { gates: { daily_cap: 1 } }]) {
      const real = await api.org.patch(path, change);
      const preview = await api.org.patch(path, { ...change, preview: true });
      expect([preview.status, preview.body]).toEqual([409, real.body]);
    }
  });
});
