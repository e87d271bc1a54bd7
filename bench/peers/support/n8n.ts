import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild, waitUntilReady } from '../../../src/dev/child.ts';
import { anyFreePort } from '../../../src/dev/ports.ts';
import { part } from '../../../test/support/built-tools.ts';
import { installedFromNpm, NODE_ENV } from './from-npm.ts';
import { type PeerPlace, type RunsSide, startSink } from './runs.ts';

const VERSION = '2.41.1';
const WORKFLOW_ID = 'orders';
const START_LIMIT_MS = 180_000;

/** Installs and starts n8n as it comes, on SQLite, with a workflow: webhook, condition, call. */
export async function startN8n({ folder, logFile, guard }: PeerPlace): Promise<RunsSide> {
  const home = await installedFromNpm(`n8n-${VERSION}`, 'n8n', [`n8n@${VERSION}`]);
  const sink = await startSink();
  const N8N_PORT = String(await anyFreePort());
  const env = {
    ...NODE_ENV,
    N8N_USER_FOLDER: folder,
    N8N_PORT,
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_RUNNERS_BROKER_PORT: String(await anyFreePort()),
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
  };
  const program = join(home, 'node_modules/.bin/n8n');
  const file = join(folder, 'workflow.json');
  writeFileSync(file, JSON.stringify(workflowCalling(sink.url)));
  await part('n8n', program, ['import:workflow', `--input=${file}`], { env });
  await part('n8n', program, ['publish:workflow', `--id=${WORKFLOW_ID}`], { env });
  const server = await startChild(program, ['start'], { logFile, guard, cwd: folder, env });
  const webhookUrl = `http://127.0.0.1:${N8N_PORT}/webhook/orders`;
  await waitUntilReady(server, logFile, () => postOnce(webhookUrl), START_LIMIT_MS);
  await sink.untilTaken(1);
  return { name: 'n8n', webhookUrl, sink, pids: [server.pid] };
}

/** Its webhooks are there some time after it answers. */
async function postOnce(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ total: 250 }) });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}

const WEBHOOK = { name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2 };
const CONDITION = { name: 'Condition', type: 'n8n-nodes-base.if', typeVersion: 2 };
const CALL = { name: 'Call', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 };
const leadingTo = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });

const workflowCalling = (url: string) => ({
  id: WORKFLOW_ID,
  name: 'Orders',
  active: false,
  settings: { executionOrder: 'v1' },
  nodes: [
    {
      ...WEBHOOK,
      id: '1',
      position: [0, 0],
      webhookId: 'orders',
      parameters: { httpMethod: 'POST', path: 'orders', responseMode: 'onReceived', options: {} },
    },
    {
      ...CONDITION,
      id: '2',
      position: [200, 0],
      parameters: {
        conditions: {
          combinator: 'and',
          options: { caseSensitive: true, typeValidation: 'strict', leftValue: '', version: 2 },
          conditions: [
            {
              id: 'big',
              operator: { type: 'number', operation: 'gt' },
              leftValue: '={{ $json.body.total }}',
              rightValue: 100,
            },
          ],
        },
        options: {},
      },
    },
    {
      ...CALL,
      id: '3',
      position: [400, 0],
      parameters: {
        method: 'POST',
        url,
        sendBody: true,
        specifyBody: 'json',
        jsonBody: '={{ JSON.stringify({ total: $json.body.total }) }}',
        options: {},
      },
    },
  ],
  connections: { Webhook: leadingTo('Condition'), Condition: leadingTo('Call') },
});
