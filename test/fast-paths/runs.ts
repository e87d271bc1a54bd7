import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startRuns } from '../../src/automations/runs/start-runs.service.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';
import { activate } from '../support/triggers.ts';
import { receiveWebhooks, type Traces, tracesOf } from './scenario.ts';

/** More than may wait without a batch. */
const BACKLOG = 110;
/** Few enough to begin at once. */
const FEW = 30;
const TAGS = ['new', 'old'];
const FIELDS_OF_RUN = ['status', 'error', 'steps', 'trigger_output'];

const action = (id: string, type: string, input: object, more: object = {}) => ({
  $kind: 'Action',
  id,
  type,
  name: id,
  input,
  ...more,
});
const block = (id: string, type: string, inputs: object, branches: object) => ({
  $kind: 'Block',
  id,
  type,
  inputs,
  branches,
});
const session_id = '{{trigger.output.session}}';
const callOf = (id: string, more: object = {}) =>
  action(id, 'send-webhook', { url: '{{trigger.output.url}}', body: { order: '{{trigger.output.order}}' } }, more);
/** A call whose failure fails the run; or a note, tags, and a call whose failure does not. */
const BLOCKS = [
  block(
    'if',
    'if-else',
    { condition: { operatorName: 'equals', left: '{{trigger.output.kind}}', right: 'call' } },
    {
      // biome-ignore lint/suspicious/noThenProperty: the definitions' own word
      then: [callOf('call', { retry: { attempts: 2 } })],
      else: [
        action('note', 'add-note', { session_id, text: 'Order {{trigger.output.order}}' }),
        block(
          'each',
          'for-each',
          { items: '{{trigger.output.tags}}' },
          { do: [action('tag', 'tag-ticket', { session_id, tags: ['{{each.output.item}}'] })] },
        ),
        callOf('tolerated', { on_error: 'continue' }),
        action('answered', 'add-note', { session_id, text: 'The shop said {{tolerated.output.status}}' }),
      ],
    },
  ),
];

/** Another system. It answers by the path, and remembers its requests. */
async function startShop() {
  const told: { url: string; key: unknown; method: unknown; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', method, headers } = request;
      const isFirst = !told.some((one) => one.url === url);
      told.push({ url, key: headers['idempotency-key'], method, body: Buffer.concat(chunks).toString() });
      const status = url.startsWith('/once') && !isFirst ? 200 : (STATUSES[url.split('/')[1] ?? ''] ?? 200);
      response.sendDate = false;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"is_known":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    close: () => void server.close().closeAllConnections(),
  };
}
const STATUSES: Record<string, number> = { once: 503, never: 503, unknown: 404 };

/** What happens with every tenth order, and with those after it. All others go well. */
const CASES: { kind: 'call' | 'note'; path: string; tags?: string | string[] }[] = [
  { kind: 'call', path: 'no address' },
  { kind: 'call', path: '/never' },
  { kind: 'call', path: '/once' },
  { kind: 'call', path: '/unknown' },
  { kind: 'note', path: 'no address' },
  { kind: 'note', path: '/once' },
  { kind: 'note', path: '/', tags: 'no list' },
];

/** A backlog of runs. Some of them fail, or call again. */
export const runBacklog = (stack: Stack): Promise<Traces> => runOrders(stack, BACKLOG);

/** Runs that begin at once. Some of them fail, or call again. */
export const runFew = (stack: Stack): Promise<Traces> => runOrders(stack, FEW);

async function runOrders(stack: Stack, count: number): Promise<Traces> {
  const org = await stack.createOrg();
  const shop = await startShop();
  const closeReceiver = await receiveWebhooks(org);
  for (const tag_name of TAGS) await org.put('/tags', { tag_name });
  const { id } = await activate(org, { trigger_type: 'webhook', workflow_blocks: BLOCKS });
  const triggerEvents: Awaited<ReturnType<typeof eventOf>>[] = [];
  for (let order = 0; order < count; order++) triggerEvents.push(await eventOf(org, shop.url, order));
  await inTransaction(stack.db, (trx) =>
    startRuns(trx, org.id, 'webhook', { triggerEvents, cause: 'automatic', only: id }),
  );
  await eventually('the end of all runs', async () => {
    const left = stack.db.selectFrom('automation_runs').select('id').where('org_id', '=', org.id);
    return (await left.where('run_ended_at', 'is', null).executeTakeFirst()) === undefined;
  });
  const runs = await Promise.all(
    triggerEvents.map(async ({ runId }) => (await org.get(`/workflows/${id}/runs/${runId}`)).body),
  );
  const answers = runs.map((run) => Object.fromEntries(FIELDS_OF_RUN.map((name) => [name, run[name]])));
  const batched = runs.filter(({ ran_in }) => ran_in.batch_workflow_id !== null).length;
  const isInline = runs.some(({ ran_in }) => ran_in.kind === 'inline');
  const told = shop.told.toSorted((a, b) => a.url.localeCompare(b.url));
  const traces = await tracesOf(stack, org, [...answers, ...told], { batched, isInline });
  await closeReceiver();
  shop.close();
  return traces;
}

async function eventOf(org: TestOrg, shopUrl: string, order: number) {
  const { kind, path, tags = TAGS } = CASES[order % 10] ?? { kind: 'note', path: '/' };
  const session = kind === 'note' ? (await org.post('/chat/sessions', {})).body.id : null;
  const url = path.startsWith('/') ? `${shopUrl}${path}/${order}` : path;
  return {
    key: `test/${order}`,
    occurredAt: new Date(),
    depth: 0,
    runId: newId(),
    output: { order, kind, session, tags, url },
  };
}
