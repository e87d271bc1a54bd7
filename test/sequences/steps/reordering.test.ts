import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emailStep, timeIn } from '../../support/sequences.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const QUIET_NOW = { quiet_hours: { start: timeIn('UTC', -60), end: timeIn('UTC', 60) } };
const WATCHED_MS = 3_000;

describe('reordering steps while contacts are deferred before the last one', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack.close());

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
  const statusesOf = async (sequenceId: string) => {
    const rows = await stack.db
      .selectFrom('deliveries')
      .select('status')
      .where('sequence_id', '=', sequenceId)
      .orderBy('status')
      .execute();
    return rows.map(({ status }) => status);
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
