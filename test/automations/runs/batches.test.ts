import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { startRuns } from '../../../src/automations/runs/start-runs.service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { newId } from '../../../src/ids.ts';
import { repair } from '../../../src/repair/repair.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';
import { activate } from '../../support/triggers.ts';

/** More than the runs that begin at once and those that may wait without a batch. */
const RUNS = 260;
/** Fewer, but still too many to do without a batch. */
const FAILING_RUNS = 160;

let stack: Stack;
let shop: Shop;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  shop = await startShop();
});
afterAll(async () => {
  await shop.close();
  await stack.close();
});

interface Shop {
  url: string;
  /** The numbers of the orders, as they arrived. */
  orders: number[];
  /** What the calls about an order get, one after the other; then 200. */
  answers: Map<number, number[]>;
  /** Holds the answers back until it resolves. */
  hold: Promise<void>;
  close(): Promise<void>;
}

/** Another system that is told of orders. */
async function startShop(): Promise<Shop> {
  const started: Omit<Shop, 'url' | 'close'> = { orders: [], answers: new Map(), hold: Promise.resolve() };
  const answer = async (order: number, response: ServerResponse) => {
    started.orders.push(order);
    const status = started.answers.get(order)?.shift() ?? 200;
    await started.hold;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => {
    request.resume().once('end', () => void answer(Number(request.url?.slice(1)), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(started, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

const call = (more: object = {}) => ({
  $kind: 'Action',
  id: 'call',
  type: 'send-webhook',
  name: 'Tell the shop',
  input: { url: `${shop.url}/{{trigger.output.order}}`, method: 'POST' },
  ...more,
});
const note = (session: string) => ({
  $kind: 'Action',
  id: 'note',
  type: 'add-note',
  name: 'Note',
  input: { session_id: session, text: 'Order {{trigger.output.order}}: {{call.output.status}}' },
});

const noted = (session: string) => ({ ...note(session), input: { session_id: session, text: 'Order' } });
const pauseOf = (minutes: unknown) => ({ $kind: 'Block', type: 'wait', id: 'pause', inputs: { minutes } });

/** Starts a backlog of runs, one for each order. Returns the ids of the runs, in their order. */
async function startBacklog(workflowId: string, count = RUNS): Promise<string[]> {
  shop.orders.length = 0;
  const triggerEvents = Array.from({ length: count }, (_, order) => ({
    key: `test/${newId()}`,
    occurredAt: new Date(),
    depth: 0,
    runId: newId(),
    output: { order },
  }));
  await inTransaction(stack.db, (trx) =>
    startRuns(trx, stack.org.id, 'webhook', { triggerEvents, cause: 'automatic', only: workflowId }),
  );
  return triggerEvents.map(({ runId }) => runId);
}
const webhookWorkflow = async (workflow_blocks: object[]): Promise<string> =>
  (await activate(stack.org, { trigger_type: 'webhook', workflow_blocks })).id;
const runOf = async (id: string, runId: string) => (await stack.org.get(`/workflows/${id}/runs/${runId}`)).body;
const countOf = async (id: string, status: string): Promise<number> =>
  (await stack.org.get(`/workflows/${id}/runs?status=${status}&limit=1`)).body.total_items;
const ended = (id: string, count = RUNS) =>
  eventually('the end of all runs', async () => {
    const counts = await Promise.all(['completed', 'failed', 'canceled'].map((status) => countOf(id, status)));
    return counts.reduce((sum, one) => sum + one) === count;
  });

const detailsOf = async (handle: WorkflowHandle): Promise<string> =>
  (await handle.query<{ currentDetails: string }, []>('__temporal_workflow_metadata')).currentDetails;

/** Returns the batches of the org that the look-up of a run lists, in the order of the Temporal UI. */
async function lookUpBatches(runId: string): Promise<string[]> {
  const query = `OrgId = '${stack.org.id}' and Kind = 'workflow-run-batch' and SubjectId <= '${runId}'`;
  const ids: string[] = [];
  for await (const { workflowId } of stack.temporal.workflow.list({ query })) ids.push(workflowId);
  return ids;
}

/** Waits for the failure of a run's own workflow, and returns its message. */
async function failureOf(runId: string): Promise<string | undefined> {
  const handle = stack.temporal.workflow.getHandle(`workflow-run/${runId}`);
  await eventually('its failed workflow', async () => {
    const { status } = await handle.describe().catch(() => ({ status: undefined }));
    return status?.name === 'FAILED';
  });
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  return error instanceof WorkflowFailedError ? error.cause?.message : undefined;
}

it('the first batch that a look-up by the id of a run lists has this run, and its details name the workflow', async () => {
  const id = await webhookWorkflow([call()]);
  const runs = [...(await startBacklog(id)), ...(await startBacklog(id))];
  await ended(id, runs.length);
  const batches = new Set<string>();
  for (const runId of runs.filter((_, n) => n % 10 === 0 || n === RUNS - 1)) {
    const { kind, batch_workflow_id } = (await runOf(id, runId)).ran_in;
    if (kind === 'own') continue;
    expect((await lookUpBatches(runId))[0]).toBe(batch_workflow_id);
    batches.add(batch_workflow_id);
  }
  expect(batches.size).toBeGreaterThan(1);
  const { name } = (await stack.org.get(`/workflows/${id}`)).body;
  for (const workflowId of batches) {
    const handle = stack.temporal.workflow.getHandle(workflowId);
    expect(await detailsOf(handle)).toContain(`${name} (${id})`);
    expect(await (await handle.describe()).staticSummary()).toContain(`runs of ${name}`);
  }
});

it.each([
  ['at a refused input', () => [call({ input: { url: 'no-url/{{trigger.output.order}}' } })], 'url'],
  ['at a block', () => [call(), pauseOf('{{call.output.status}}x')], 'pause'],
  [
    'behind an action on our own data',
    (session: string) => [noted(session), pauseOf('{{trigger.output.order}}x')],
    'pause',
  ],
])(
  'a run that fails %s in a batch ends in a failed workflow of its own, and the batch names it',
  async (_, blocks, error) => {
    const id = await webhookWorkflow(blocks((await stack.org.post('/chat/sessions', {})).body.id));
    const runs = await startBacklog(id, FAILING_RUNS);
    await ended(id, FAILING_RUNS);
    expect(await countOf(id, 'failed')).toBe(FAILING_RUNS);
    const last = await runOf(id, runs.at(-1) ?? '');
    expect(last).toMatchObject({ error: expect.stringContaining(error), ran_in: { kind: 'own' } });
    expect(await failureOf(last.id)).toBe(last.error);
    const batch = stack.temporal.workflow.getHandle(last.ran_in.batch_workflow_id);
    await eventually('the end of the batch', async () => (await batch.describe()).status.name === 'COMPLETED');
    expect(await detailsOf(batch)).toContain(`workflow-run/${last.id}`);
  },
);

it('a run that fails before its first action, without a batch, ends in a failed workflow', async () => {
  const id = await webhookWorkflow([pauseOf('{{trigger.output.order}}x')]);
  const [runId = ''] = await startBacklog(id, 1);
  await ended(id, 1);
  expect(await failureOf(runId)).toContain('pause');
});

it('does a backlog in batches, in its order, and each run says in which', async () => {
  const session = (await stack.org.post('/chat/sessions', {})).body.id;
  const id = await webhookWorkflow([call(), note(session)]);
  const runs = await startBacklog(id);
  await ended(id);
  expect(await countOf(id, 'completed')).toBe(RUNS);
  expect(shop.orders.toSorted((a, b) => a - b)).toEqual(runs.map((_, order) => order));
  for (const [place, order] of shop.orders.entries()) expect(Math.abs(place - order)).toBeLessThan(100);

  const last = await runOf(id, runs.at(-1) ?? '');
  expect(last.steps.map((step: Record<string, unknown>) => [step.id, step.status, step.attempts])).toEqual([
    ['call', 'completed', 1],
    ['note', 'completed', 1],
  ]);
  expect(last.ran_in).toEqual({
    kind: 'batch',
    workflow_id: expect.stringMatching(/^workflow-run-batch\//),
    batch_workflow_id: last.ran_in.workflow_id,
  });
  const handle = stack.temporal.workflow.getHandle(last.ran_in.workflow_id);
  await eventually('the end of the batch', async () => (await handle.describe()).status.name === 'COMPLETED');
  expect(await handle.result()).toEqual({ ended: RUNS, failed: [], left: 0, queued: 0 });
  expect(await detailsOf(handle)).toContain(`${RUNS} runs of the org ${stack.org.id}`);
  const [single = ''] = await startBacklog(id, 1);
  await ended(id, RUNS + 1);
  const own = await runOf(id, single);
  expect(own.ran_in).toEqual({ kind: 'own', workflow_id: `workflow-run/${own.id}`, batch_workflow_id: null });
});

it('a run leaves its batch at a wait, and can be canceled there', async () => {
  const id = await webhookWorkflow([call(), pauseOf(500)]);
  const runs = await startBacklog(id);
  const runId = runs.at(-1) ?? '';
  const waiting = await eventually('the wait of the last run', async () => {
    const run = await runOf(id, runId);
    return run.steps[1]?.status === 'waiting' && run.ran_in.kind === 'own' && run;
  });
  expect(waiting.ran_in).toMatchObject({
    workflow_id: `workflow-run/${runId}`,
    batch_workflow_id: expect.stringMatching(/^workflow-run-batch\//),
  });
  const handle = stack.temporal.workflow.getHandle(`workflow-run/${runId}`);
  await eventually('its workflow', async () => (await handle.describe().catch(() => undefined)) !== undefined);
  await stack.org.post(`/workflows/${id}/runs/${runId}/cancel`);
  await eventually('the end of its workflow', async () => (await handle.describe()).status.name === 'COMPLETED');
  expect(shop.orders).toHaveLength(RUNS);
  expect((await stack.org.delete(`/workflows/${id}`)).status).toBe(200);
});

it('a run leaves its batch to retry a call, and one that fails for good can be retried by hand', async () => {
  const id = await webhookWorkflow([call({ retry: { attempts: 2 } })]);
  shop.answers.set(7, [503]).set(8, [503, 500]);
  const runs = await startBacklog(id);
  await ended(id);
  const [retried, failed] = await Promise.all([7, 8].map((order) => runOf(id, runs[order] ?? '')));
  expect(retried).toMatchObject({ status: 'completed', steps: [{ attempts: 2 }], ran_in: { kind: 'own' } });
  expect(failed).toMatchObject({
    status: 'failed',
    steps: [{ attempts: 2, status: 'failed' }],
    ran_in: { kind: 'own' },
  });
  expect(shop.orders.filter((order) => order === 7 || order === 8)).toHaveLength(4);

  const bad = await webhookWorkflow([call({ input: { url: 'no-url/{{trigger.output.order}}' } })]);
  const refused = await startBacklog(bad);
  await ended(bad);
  const first = await runOf(bad, refused[0] ?? '');
  expect(first).toMatchObject({ status: 'failed', error: expect.stringContaining('url'), ran_in: { kind: 'own' } });
  await stack.org.post(`/workflows/${bad}/runs/${first.id}/retry`, { input: { url: `${shop.url}/1`, method: 'POST' } });
  await eventually('its end', async () => (await runOf(bad, first.id)).status === 'completed');
  expect((await runOf(bad, first.id)).ran_in).toMatchObject({ kind: 'own', workflow_id: `workflow-run/${first.id}` });
});

it.each(['cancel', 'terminate'] as const)('a batch that is stopped by %s leaves its runs to others', async (way) => {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  shop.hold = promise;
  const id = await webhookWorkflow([call()]);
  const runs = await startBacklog(id);
  await eventually('the first calls', async () => shop.orders.length > 0);
  const { ran_in } = await runOf(id, runs[0] ?? '');
  await stack.temporal.workflow.getHandle(ran_in.workflow_id)[way]();
  release();
  await eventually('the end of all runs', async () => {
    await repair(stack.db, stack.temporal, { isDryRun: false });
    return (await countOf(id, 'completed')) === RUNS;
  });
  if (way === 'cancel') expect(shop.orders).toHaveLength(RUNS);
  expect(new Set(shop.orders).size).toBe(RUNS);
});
