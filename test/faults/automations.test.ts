import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type FakeProvider, startFakeProvider } from '../support/fakes/provider.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, RUNS, TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const ITEMS = ['a', 'b', 'c'];

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

const note = (id: string, text: string) => ({
  $kind: 'Action',
  id,
  type: 'add-note',
  name: 'Note',
  input: { session_id: '{{trigger.output.session.id}}', text },
});

/** Every kind of step: waits for a time and for an event, a call, a decision, a loop, and changes of our own data. */
const STEPS = () => [
  note('begin', 'begin'),
  { $kind: 'Block', id: 'pause', type: 'wait', inputs: { minutes: 0.05 } },
  {
    $kind: 'Action',
    id: 'call',
    type: 'send-webhook',
    name: 'Call',
    input: { url: `${shop.url}/call`, method: 'POST', body: { session: '{{trigger.output.session.id}}' } },
    retry_safe: true,
  },
  {
    $kind: 'Block',
    id: 'taken',
    type: 'if-else',
    inputs: { condition: { operatorName: 'equals', left: '{{call.output.status}}', right: 200 } },
    // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
    branches: { then: [note('called', 'called')], else: [note('refused', 'refused')] },
  },
  {
    $kind: 'Block',
    id: 'resolved',
    type: 'wait-for-event',
    inputs: {
      trigger_type: 'ticket-resolved',
      constraint: { '==': [{ var: 'session.id' }, '{{trigger.output.session.id}}'] },
      timeout_minutes: 60,
    },
  },
  {
    $kind: 'Block',
    id: 'each',
    type: 'for-each',
    inputs: { items: ITEMS },
    branches: { do: [note('item', '{{each.output.item}}')] },
  },
  note('end', 'end'),
];
const STORY = ['begin', 'called', ...ITEMS, 'end'];

it(
  'every automation run ends with its usual steps when the worker is killed repeatedly',
  async () => {
    const org = await stack.newOrg();
    const made = await org.post('/workflows', {
      name: 'Faults',
      trigger_type: 'ticket-created',
      workflow_blocks: STEPS(),
    });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    const workflowId = made.body.workflow_id;
    expect((await org.post(`/workflows/${workflowId}/activate`, {})).status).toBe(200);

    let isOver = false;
    const ids: string[] = [];
    const working = (async () => {
      for (let n = 0; n < RUNS; n++) {
        ids.push((await org.post('/chat/sessions', {})).body.id);
        await sleep(100);
      }
      for (const id of ids) {
        await org.call('PATCH', `/chat/sessions/${id}`, { status: 'closed_resolved' });
        await sleep(100);
      }
      await until(
        'all runs had ended',
        async () => {
          const { rows } = await sql<{ count: number }>`
            select count(*) from automation_runs where org_id = ${org.id}::uuid and status not in ('idle', 'in_progress')
          `.execute(stack.db);
          return rows[0]?.count === RUNS;
        },
        TEST_LIMIT_MS,
      );
    })().finally(() => {
      isOver = true;
    });
    let kills = 0;
    for (; kills < KILLS * 2 && !isOver; kills++) {
      await sleep(1_000 + Math.random() * 2_000);
      await stack.worker.kill();
      await stack.worker.start();
    }
    await working;
    expect(kills).toBeGreaterThanOrEqual(KILLS);

    const { rows: runs } = await sql<{ status: string; error: string | null; count: number }>`
      select status, error, count(*) from automation_runs where org_id = ${org.id}::uuid group by 1, 2
    `.execute(stack.db);
    expect(runs).toEqual([{ status: 'completed', error: null, count: RUNS }]);
    for (const id of ids) {
      const { body } = await org.call('GET', `/chat/sessions/${id}/history?limit=200`);
      const notes = body.items
        .map(({ event }: { event: { type: string; content: { text: string } } }) => event)
        .filter(({ type }: { type: string }) => type === 'human_agent_comment')
        .map(({ content }: { content: { text: string } }) => content.text);
      expect(notes).toEqual(STORY);
    }
    const keysOf = Map.groupBy(shop.calls, ({ body }) => JSON.parse(body).session as string);
    expect(keysOf.size).toBe(RUNS);
    for (const calls of keysOf.values())
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(shop.calls.length).toBeLessThanOrEqual(RUNS + kills * 50);
  },
  TEST_LIMIT_MS,
);
