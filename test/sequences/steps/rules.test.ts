import fc from 'fast-check';
import { orderAfterEdit, type StoredStep, transitionsOf } from '../../../src/sequences/steps/rules.ts';

const step = (id: string, isDeleted = false): StoredStep => ({ id, is_deleted: isDeleted, delay_in_minutes: 0 });
const nextOf = (steps: StoredStep[], after: string | null) =>
  transitionsOf(steps).find((move) => move.after === after)?.next?.id ?? null;

/** Returns the steps after an edit to the listed ids, in the order of the service. */
function edit(steps: StoredStep[], listed: string[]): StoredStep[] {
  const order = orderAfterEdit(
    steps.map(({ id }) => id),
    listed,
  );
  return order.map((id) => step(id, !listed.includes(id)));
}

describe('the order of steps', () => {
  it.each([
    ['at the beginning', ['a', 'b'], null, 'a'],
    ['after a step', ['a', 'b'], 'a', 'b'],
    ['after the last step', ['a', 'b'], 'b', null],
  ])('gives the next step of an enrollment: %s', (_, ids, after, expected) => {
    expect(
      nextOf(
        ids.map((id) => step(id)),
        after,
      ),
    ).toBe(expected);
  });

  it.each([
    ['a later step deleted', ['a', 'b', 'c'], ['a', 'c'], 'a', 'c'],
    ['the last completed step deleted', ['a', 'b', 'c'], ['a', 'c'], 'b', 'c'],
    ['all steps up to its position deleted', ['a', 'b', 'c'], ['c'], 'b', 'c'],
    ['a step inserted after it', ['a', 'b'], ['a', 'x', 'b'], 'a', 'x'],
    ['a step inserted before it', ['a', 'b'], ['x', 'a', 'b'], 'a', 'b'],
    ['everything replaced', ['a', 'b'], ['x', 'y'], 'b', 'x'],
    ['the last steps deleted', ['a', 'b', 'c'], ['a'], 'a', null],
    ['the order reversed', ['a', 'b', 'c'], ['c', 'b', 'a'], 'b', 'a'],
  ])('gives the next step of an enrollment after an edit: %s', (_, before, listed, after, expected) => {
    const steps = before.map((id) => step(id));
    expect(nextOf(edit(steps, listed), after)).toBe(expected);
  });

  it('contains every step ever stored once, in the listed order, through any edits', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 });
    fc.assert(
      fc.property(ids, fc.array(ids, { maxLength: 4 }), (first, edits) => {
        let steps = first.map((id) => step(id));
        for (const listed of edits) {
          const stored = new Set(steps.map(({ id }) => id));
          steps = edit(steps, listed);
          expect(new Set(steps.map(({ id }) => id))).toEqual(new Set([...stored, ...listed]));
          expect(steps).toHaveLength(new Set(steps.map(({ id }) => id)).size);
          expect(steps.filter((found) => !found.is_deleted).map(({ id }) => id)).toEqual(listed);
        }
      }),
    );
  });

  it('leads every enrollment to the end without repeating a step, through any edits', () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdef'), { minLength: 1 });
    fc.assert(
      fc.property(ids, ids, fc.nat(), (before, listed, index) => {
        const steps = edit(
          before.map((id) => step(id)),
          listed,
        );
        let place: string | null = before[index % before.length] ?? null;
        const done: string[] = [];
        for (let next = nextOf(steps, place); next !== null; next = nextOf(steps, place)) {
          done.push(next);
          place = next;
        }
        expect(new Set(done).size).toBe(done.length);
        expect(listed.slice(listed.length - done.length)).toEqual(done);
      }),
    );
  });
});
