import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { forEachConcurrently } from '../../src/concurrency/limited.ts';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { BACKLOG, KILLS, RUNS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const STARTS_AT_ONCE = 10;
/** What can be under way at a kill, of single runs and of runs in batches. */
const UNDER_WAY = 50;

let stack: FaultStack;
let shop: FakeProvider;
beforeAll(async () => {
  stack = await startFaultStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  shop = await startFakeProvider();
}, TEST_LIMIT_MS);
afterAll(async () => {
  await shop.close();
  await stack.close();
});

type BookingType = 'execute-action' | 'send-webhook';
const BOOKING_TYPES: BookingType[] = ['execute-action', 'send-webhook'];

/** Creates a workflow that books by a POST, and notes it in a session. */
async function bookingWorkflow(org: FaultOrg, type: BookingType): Promise<{ id: string; session: string }> {
  const post = async (path: string, body: object) => {
    const answer = await org.post(path, body);
    expect({ ...answer, isTaken: answer.status < 300 }).toMatchObject({ isTaken: true });
    return answer.body;
  };
  const { id: session } = await post('/chat/sessions', {});
  const action = await post('/actions', {
    name: 'Book',
    api_endpoint: `${shop.url}/book`,
    request_type: 'POST',
    payload: {},
  });
  const { workflow_id: id } = await post('/workflows', {
    name: 'Book',
    trigger_type: 'manual-trigger',
    workflow_blocks: [
      {
        $kind: 'Action',
        id: 'book',
        type,
        name: 'Book',
        input: type === 'execute-action' ? { action_id: action.id } : { url: `${shop.url}/book` },
      },
      {
        $kind: 'Action',
        id: 'note',
        type: 'add-note',
        name: 'Note',
        input: { session_id: session, text: '{{trigger.output.input.order}}' },
      },
    ],
  });
  await post(`/workflows/${id}/activate`, {});
  return { id, session };
}

async function startOrders(org: FaultOrg, id: string, count: number, pauseMs: number): Promise<void> {
  await forEachConcurrently(Array(count).keys(), pauseMs > 0 ? 1 : STARTS_AT_ONCE, async (order) => {
    expect((await org.post(`/workflows/${id}/trigger`, { input: { order: String(order) } })).status).toBe(200);
    await sleep(pauseMs);
  });
}

/** Kills the worker in the midst of calls, as often as wanted. */
async function killDuringCalls(calls: number): Promise<void> {
  for (let kills = 0; kills < KILLS; kills++) {
    const seen = shop.calls.length;
    await until('more calls', async () => shop.calls.length >= seen + calls, TEST_LIMIT_MS);
    await sleep(Math.random() * 20);
    await stack.worker.kill();
    await stack.worker.start();
  }
}

/** Waits for the end of all runs, and compares them with what the shop and the session have received. */
async function expectEachOnce(org: FaultOrg, session: string, count: number): Promise<void> {
  const countEnded = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from automation_runs where org_id = ${org.id}::uuid and status in ('completed', 'failed')
    `.execute(stack.db);
    return rows[0]?.count;
  };
  await until('all runs have ended', async () => (await countEnded()) === count, TEST_LIMIT_MS);
  const { rows: runs } = await sql<{ id: string; order: string; status: string; error: string | null }>`
    select id, trigger_output -> 'input' ->> 'order' as order, status, error from automation_runs where org_id = ${org.id}::uuid
  `.execute(stack.db);
  const runIds = shop.calls.map(({ headers }) => String(headers['idempotency-key']).split('/')[0]);
  expect(new Set(runIds).size).toBe(runIds.length);
  const called = new Set(runIds);
  const completed = runs.filter(({ status }) => status === 'completed');
  expect(completed.filter(({ id }) => !called.has(id))).toEqual([]);
  const failed = runs.filter(({ status }) => status === 'failed');
  for (const { error } of failed) expect(error).toContain('may have been done');
  expect(failed.length).toBeLessThanOrEqual(KILLS * UNDER_WAY);
  const { rows: notes } = await sql<{ text: string }>`
    select content as text from session_events
    where org_id = ${org.id}::uuid and session_id = ${session}::uuid and type = 'human_agent_comment'
  `.execute(stack.db);
  const inOrder = (orders: string[]) => orders.map(Number).toSorted((a, b) => a - b);
  expect(inOrder(notes.map(({ text }) => text))).toEqual(inOrder(completed.map(({ order }) => order)));
}

it.each(BOOKING_TYPES)(
  'single runs end as they should and make no call of %s twice when the worker is killed repeatedly',
  async (type) => {
    const org = await stack.newOrg();
    const { id, session } = await bookingWorkflow(org, type);
    shop.calls.length = 0;
    const killing = killDuringCalls(1);
    await startOrders(org, id, RUNS, 100);
    await killing;
    await expectEachOnce(org, session, RUNS);
  },
  TEST_LIMIT_MS,
);

it.each(BOOKING_TYPES)(
  'a backlog ends as it should and makes no call of %s twice when the worker is killed in the midst of batches',
  async (type) => {
    const org = await stack.newOrg();
    const { id, session } = await bookingWorkflow(org, type);
    shop.calls.length = 0;
    await stack.worker.kill();
    await startOrders(org, id, BACKLOG, 0);
    await stack.worker.start();
    await killDuringCalls(30);
    await expectEachOnce(org, session, BACKLOG);
    const { rows } = await sql<{ batches: number }>`
      select count(distinct batch_id) as batches from automation_runs where org_id = ${org.id}::uuid
    `.execute(stack.db);
    expect(rows[0]?.batches).toBeGreaterThan(0);
  },
  TEST_LIMIT_MS,
);
