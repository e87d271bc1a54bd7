import { emailStep, smsStep, timeIn } from '../../support/sequences.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const QUIET_NOW = { quiet_hours: { start: timeIn('UTC', -60), end: timeIn('UTC', 60) } };
const WATCHED_MS = 3_000;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const statusesOf = async (sequenceId: string) => {
  const rows = await stack.db
    .selectFrom('deliveries')
    .select('status')
    .where('sequence_id', '=', sequenceId)
    .orderBy('status')
    .execute();
  return rows.map(({ status }) => status);
};

describe('reordering steps while contacts are deferred before the last one', () => {
  /** Creates two contacts past A, sent regardless of quiet hours, and deferred before B. */
  const heldAtB = async () => {
    const steps = [emailStep('A', 0, { email_is_transactional: true }), emailStep('B')];
    const { id } = (await stack.org.post('/sequences', { filter: null, steps, gates: QUIET_NOW })).body;
    const contacts = [{ email: `ann@${id}.example` }, { email: `bob@${id}.example` }];
    await stack.org.post(`/sequences/${id}/contacts`, { contacts });
    await eventually('both held', async () => (await statusesOf(id)).filter((one) => one === 'held').length === 2);
    const sequence = (await stack.org.get(`/sequences/${id}`)).body;
    return { id: id as string, a: sequence.steps[0], b: sequence.steps[1], contacts };
  };
  const statsOf = async (id: string) => (await stack.org.get(`/sequences/${id}/stats`)).body.enrollments;
  /** Returns the number of batches run by the sequence's workflow, and its current run. */
  const batchesOf = async (sequenceId: string) => {
    const handle = stack.temporal.workflow.getHandle(`sequence/${sequenceId}`);
    const { runId, status } = await handle.describe();
    const { events = [] } = await handle.fetchHistory();
    const batches = events?.filter((event) => event.activityTaskScheduledEventAttributes != null).length;
    return { runId, status: status.name, batches };
  };
  const rests = async (sequenceId: string) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const before = await batchesOf(sequenceId);
    expect(before.batches).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
    expect(await batchesOf(sequenceId)).toEqual(before);
  };

  it('completes their enrollments at the new end, and the workflow stays idle', async () => {
    const { id, a, b, contacts } = await heldAtB();
    expect((await stack.org.patch(`/sequences/${id}`, { steps: [b, a] })).status).toBe(200);
    await eventually('the end', async () => (await statsOf(id)).complete === 2);
    expect(await statusesOf(id)).toEqual(['accepted', 'accepted', 'canceled', 'canceled']);
    await rests(id);
    for (const { email } of contacts) expect(stack.sink.to(email).map(({ subject }) => subject)).toEqual(['A']);
  });

  it('advances them to a new last step, and the workflow stays idle until it is due', async () => {
    const { id, a, b } = await heldAtB();
    expect((await stack.org.patch(`/sequences/${id}`, { steps: [b, a, emailStep('C', 60)] })).status).toBe(200);
    await eventually(
      'the end of B',
      async () => (await statusesOf(id)).filter((one) => one === 'canceled').length === 2,
    );
    expect(await statsOf(id)).toMatchObject({ active: 2, complete: 0 });
    await rests(id);
  });
});

describe('changing the step that contacts wait for', () => {
  let org: TestOrg;
  beforeEach(async () => {
    org = await stack.createOrg();
  });

  const stepsOf = async (id: string) => (await org.get(`/sequences/${id}`)).body.steps;
  const change = async (id: string, changes: object) => {
    expect((await org.patch(`/sequences/${id}`, changes)).status).toBe(200);
    await eventually('the change to take effect', async () => {
      const rows = stack.db.selectFrom('sequences').select('changes_to_apply').where('id', '=', id);
      return (await rows.executeTakeFirstOrThrow()).changes_to_apply === 0;
    });
  };
  const subjectsTo = (email: string) => stack.sink.to(email).map(({ subject }) => subject);
  /** Creates a sequence of these steps with new contacts, and waits until they have such statuses. */
  const deferred = async (input: { steps: object[]; gates?: object }, contacts: object[], statuses: string[]) => {
    const { id } = (await org.post('/sequences', { filter: null, ...input })).body;
    await org.post('/contacts/batch', { contacts });
    await eventually('the first tries', async () => (await statusesOf(id)).join() === statuses.join());
    return id as string;
  };

  it('by adding another one before it sends that one first, and then theirs', async () => {
    const ann = `ann@${org.id}.example`;
    const id = await deferred({ steps: [emailStep('A')], gates: QUIET_NOW }, [{ email: ann }], ['held']);
    const [a] = await stepsOf(id);
    await change(id, { steps: [emailStep('B'), a] });
    await eventually('B to be held', async () => (await statusesOf(id)).join() === 'held,queued');
    const { items } = (await org.get(`/sequences/${id}/enrollments`)).body;
    const { steps } = (await org.get(`/sequences/${id}/enrollments/${items[0].id}`)).body;
    expect(steps).toMatchObject([
      { status: 'waiting', delivery: { status: 'held' } },
      { status: 'not_reached', delivery: { status: 'queued', reason: 'another step comes first' } },
    ]);
    await change(id, { gates: { quiet_hours: null } });
    await eventually('both', async () => (await statusesOf(id)).join() === 'accepted,accepted');
    expect(subjectsTo(ann)).toEqual(['B', 'A']);
  });

  it('by moving another one before it sends that one at once, also if theirs waits for another try', async () => {
    const ann = `ann@${org.id}.example`;
    stack.sink.refuse(ann, [451, '4.3.0 try later']);
    const steps = [emailStep('A'), emailStep('B'), emailStep('C')];
    const id = await deferred({ steps }, [{ email: ann }], ['queued']);
    stack.sink.accept(ann);
    const [a, b, c] = await stepsOf(id);
    await change(id, { steps: [b, a, c] });
    await eventually('all', async () => (await statusesOf(id)).join() === 'accepted,accepted,accepted');
    expect(subjectsTo(ann)).toEqual(['B', 'A', 'C']);
  });

  it('frees the slots of its sender, and the one before it keeps its own through other changes', async () => {
    const domain = `${org.id}.example`;
    const contacts = [{ email: `ann@${domain}` }, { email: `bob@${domain}` }, { email: `cat@${domain}` }];
    const from = { from_email: `hello@${domain}` };
    const gates = { sends_per_minute: 1 };
    const id = await deferred({ steps: [emailStep('A', 0, from)], gates }, contacts, ['accepted', 'held', 'held']);
    const [a] = await stepsOf(id);
    const slots = async () => {
      const rows = stack.db.selectFrom('deliveries').select('not_before').where('sequence_id', '=', id);
      return (await rows.where('status', '=', 'held').orderBy('id').execute()).map(({ not_before }) => not_before);
    };
    await change(id, { steps: [emailStep('B', 0, from), a] });
    await eventually('B to be held', async () => (await slots()).length === 2);
    const before = await slots();
    expect(Math.max(...before.map(Number)) - Date.now()).toBeLessThan(125_000); // those of A are free again
    await change(id, { name: 'Renamed' });
    expect(await slots()).toEqual(before);
  });

  it('to another channel sends it there, and an opt-out is for that one', async () => {
    const ann = `ann@${org.id}.example`;
    const contact = { email: ann, phone: '+4915112345679', custom_data: { timezone: 'UTC' } };
    const id = await deferred({ steps: [smsStep('Hi')], gates: QUIET_NOW }, [contact], ['held']);
    const [{ id: stepId }] = await stepsOf(id);
    await change(id, { steps: [{ ...emailStep('Hello'), id: stepId }], gates: { quiet_hours: null } });
    await eventually('the mail', () => subjectsTo(ann).length === 1);
    const [delivery] = (await org.get(`/deliveries?sequence_id=${id}`)).body.items;
    expect(delivery).toMatchObject({ channel: 'email', to: ann });
    const header = stack.sink.to(ann)[0]?.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line ?? '';
    const [, path = ''] = /<http:\/\/127\.0\.0\.1:\d+(\/u\/[^>]+)>/.exec(header) ?? [];
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    expect((await stack.client().post(path, 'List-Unsubscribe=One-Click', form)).status).toBe(200);
    const { items } = (await org.get('/suppressions')).body;
    expect(items).toMatchObject([{ channel: 'email', address: ann, reason: 'unsubscribed' }]);
  });
});
