import { readFileSync } from 'node:fs';
import { defaultPayloadConverter } from '@temporalio/common';
import { inTransaction } from '../../src/db/transaction.ts';
import { enqueue, start } from '../../src/outbox/outbox.ts';
import type { TaskQueue, WorkflowContract } from '../../src/temporal/contract.ts';
import { textsIn } from '../support/payloads.ts';
import { emailStep, inDomain, timeIn } from '../support/sequences.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';

/** No worker polls its queue. */
const LOOK: WorkflowContract<{ id: string }> = {
  type: 'look',
  taskQueue: 'no worker listens' as TaskQueue,
  workflowId: ({ id }) => `look/${id}`,
};

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const titleOf = (workflowId: string) =>
  eventually('the workflow', async () => {
    const described = await stack.temporal.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    const attributes = described?.typedSearchAttributes.getAll();
    return attributes && { title: attributes.find(({ key }) => key.name === 'Title')?.value };
  });
const waiting = (workflowId: string, reason: string) =>
  eventually(`a workflow that waits for ${reason}`, async () => {
    const described = await stack.temporal.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => undefined);
    return described?.typedSearchAttributes
      .getAll()
      .some(({ key, value }) => key.name === 'WaitsFor' && value === reason);
  });

/** Returns what a workflow waited for, one after the other. null: it was cleared. */
async function reasonsOf(workflowId: string): Promise<(string | null)[]> {
  const { events } = await stack.temporal.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upsert }) => {
    const payload = upsert?.searchAttributes?.indexedFields?.WaitsFor;
    if (payload === undefined) return [];
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return [Array.isArray(value) ? (value[0] ?? null) : (value as string | null)];
  });
}

it('the title of a session’s workflow has its ticket number and the kind, with a link to the console, and nothing of its contact', async () => {
  const contact = await stack.org.post('/contacts', { contact: { name: 'Ann Lee', email: 'ann@title.example' } });
  const { body } = await stack.org.post('/chat/sessions', { contact_id: contact.body.id, channel: { type: 'web' } });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await stack.org.post(`/chat/sessions/${body.id}/snooze`, { until });
  const { ticket_number } = (await stack.org.get(`/chat/sessions/${body.id}`)).body;
  expect(await titleOf(`snooze/${body.id}`)).toEqual({ title: `#${ticket_number} snooze` });
  const described = await stack.temporal.workflow.getHandle(`snooze/${body.id}`).describe();
  expect(await described.staticDetails()).toContain(`${stack.config.PUBLIC_URL}/console/s/${body.id}`);
  expect(textsIn(described.raw)).not.toMatch(/Ann|title\.example/);
});

it('a sequence’s workflow has its name as the title, cut to what Temporal stores, and says what it waits for', async () => {
  const name = `Spring offer ${'x'.repeat(250)}`.slice(0, 240);
  const steps = [emailStep('One', 60)];
  const { status, body } = await stack.org.post('/sequences', { name, filter: inDomain('title.example'), steps });
  expect(status).toBe(201);
  await stack.org.post('/contacts', { contact: { email: 'bob@title.example' } });
  const { title } = await titleOf(`sequence/${body.id}`);
  await waiting(`sequence/${body.id}`, 'timer');
  expect((await stack.org.put(`/sequences/${body.id}/pause`)).status).toBe(200);
  await waiting(`sequence/${body.id}`, 'person');
  expect((await stack.org.put(`/sequences/${body.id}/cancel`)).status).toBe(200);
  await stack.temporal.workflow.getHandle(`sequence/${body.id}`).result();
  expect(title).toBe(`Sequence "${name}"`.slice(0, 200));
});

it('a sequence says that it waits for quiet hours or another gate, and no longer once that is over', async () => {
  const org = await stack.createOrg();
  const steps = [emailStep('One'), emailStep('Two')];
  const quietNow = { start: timeIn('UTC', -60), end: timeIn('UTC', 60) };
  await org.patch('/org/settings', { timezone: 'UTC', quiet_hours: quietNow });
  const { body } = await org.post('/sequences', { name: 'Gated', filter: null, steps, gates: { daily_cap: 1 } });
  await org.post('/contacts', { contact: { email: 'eve@title.example' } });
  await waiting(`sequence/${body.id}`, 'quiet hours');
  await org.patch('/org/settings', { quiet_hours: null });
  await waiting(`sequence/${body.id}`, 'gate');
  expect(stack.sink.to('eve@title.example')).toHaveLength(1);
  await org.put(`/sequences/${body.id}/cancel`);
  const handle = stack.temporal.workflow.getHandle(`sequence/${body.id}`);
  await handle.result();
  expect((await reasonsOf(`sequence/${body.id}`)).slice(-4)).toEqual(['quiet hours', null, 'gate', null]);
});

it('the workflow of a run has the name of the customer’s workflow as the title, and says that it waits for a time', async () => {
  const wait = { $kind: 'Block', type: 'wait', id: 'wait', inputs: { minutes: 60 } };
  const { id } = await activate(stack.org, { trigger_type: 'manual-trigger', workflow_blocks: [wait] });
  const { body } = await stack.org.post(`/workflows/${id}/trigger`, {});
  expect(await titleOf(`workflow-run/${body.run_id}`)).toEqual({ title: 'manual-trigger' });
  await waiting(`workflow-run/${body.run_id}`, 'timer');
  await stack.org.post(`/workflows/${id}/runs/${body.run_id}/cancel`, {});
  await stack.temporal.workflow
    .getHandle(`workflow-run/${body.run_id}`)
    .result()
    .catch(() => undefined);
});

it('a workflow about nothing with a name has its summary as its title', async () => {
  const { id } = stack.org;
  const subject = { subjectId: id, summary: 'Look at it' };
  await inTransaction(stack.db, (trx) => enqueue(trx, id, start(LOOK, { id }, subject)));
  expect(await titleOf(`look/${id}`)).toEqual({ title: 'Look at it' });
});

it('Temporal accepts the query of each view in deploy/temporal-views.txt', async () => {
  const lines = readFileSync(new URL('../../deploy/temporal-views.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const queries = lines.filter((line) => !line.startsWith('#')).map((line) => line.split('\t')[1] ?? '');
  expect(queries.length).toBeGreaterThan(5);
  for (const query of queries) expect((await stack.temporal.workflow.count(query)).count).toBeGreaterThanOrEqual(0);
});
