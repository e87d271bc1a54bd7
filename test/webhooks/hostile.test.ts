import type { ServerResponse } from 'node:http';
import { buildConnector } from 'undici';
import { createEgress } from '../../src/providers/egress/egress.ts';
import { sendPending } from '../../src/webhooks/sending/pending.service.ts';
import { createSenderRegistry } from '../../src/webhooks/sending/sender-registry.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { startApi, type TestApi } from '../support/stack/api.ts';

const PUBLIC = '93.184.216.34';
const PRIVATE = '10.0.0.1';

let api: TestApi;
let receiver: WebhookReceiver;
const dns: Record<string, string[]> = {};
const connectedTo: string[] = [];

const connect = buildConnector({});
const egress = createEgress({
  allow: [],
  lookup: async (host) => dns[host] ?? [],
  // every connection leads to the receiver on loopback, whatever its address
  connect(options, done) {
    connectedTo.push(options.hostname);
    const { hostname, port } = new URL(receiver.url);
    connect({ ...options, hostname, port }, done);
  },
});

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  api = await startApi({ deps: { egress } });
});
afterAll(async () => {
  await receiver.close();
  await api.close();
});

/** Asks for a test of the endpoint, and makes its first try as the worker would. Returns the delivery. */
async function tryOnce(endpointId: string) {
  const { db, secrets } = api.deps;
  const { body } = await api.org.post(`/webhooks/${endpointId}/test`);
  const deps = { db, egress, secrets, webhookSenders: createSenderRegistry(), isStopped: () => false };
  await sendPending(deps, { orgId: api.org.id, endpointId });
  return (await api.org.get(`/webhooks/${endpointId}/deliveries/${body.delivery_id}`)).body;
}

async function newEndpoint() {
  dns['hooks.example'] = [PUBLIC];
  receiver.received.length = 0;
  const { status, body } = await api.org.post('/webhooks', { url: 'http://hooks.example/hooks' });
  expect({ status, body }).toMatchObject({ status: 201 });
  receiver.secrets.push(body.secret);
  return body as { id: string };
}

it('a name that leads into a private network after it was saved is not contacted, and is again once it is public', async () => {
  const { id } = await newEndpoint();
  // so that each try looks the name up: an open connection leads where it was allowed to
  receiver.answer = (_, response) => void response.writeHead(200, { connection: 'close' }).end();
  expect(await tryOnce(id)).toMatchObject({ status: 'delivered' });

  for (const addresses of [[PRIVATE], [PUBLIC, PRIVATE], ['::ffff:127.0.0.1'], ['169.254.169.254']]) {
    dns['hooks.example'] = addresses;
    const { status: state, attempt_log } = await tryOnce(id);
    expect({ state, attempt_log }).toMatchObject({ state: 'retrying', attempt_log: [{ status: null, answer: null }] });
    expect(attempt_log[0].error).toContain('not a public address');
  }
  const { status: refused, body: problem } = await api.org.patch(`/webhooks/${id}`, {
    url: 'http://hooks.example/b',
  });
  expect({ refused, path: problem.issues[0].path }).toEqual({ refused: 400, path: 'body.url' });

  dns['hooks.example'] = [PUBLIC];
  expect(await tryOnce(id)).toMatchObject({ status: 'delivered' });
  expect(new Set(connectedTo)).toEqual(new Set([PUBLIC]));
  expect(receiver.received).toHaveLength(2);
});

/** Says a bit more every now and then, for ever. */
function drip(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, 200);
  response.once('close', () => clearInterval(timer));
}

it('an answer whose body never ends is accepted by its status within 15 seconds', async () => {
  const { id } = await newEndpoint();
  receiver.answer = (_, response) => {
    response.writeHead(200);
    drip(response, () => response.write('.'));
  };
  const { status, attempt_log } = await tryOnce(id);
  expect({ status, attempt_log }).toMatchObject({ status: 'delivered', attempt_log: [{ status: 200, error: null }] });
  expect(attempt_log[0].duration_ms).toBeLessThan(17_000);
});

const NO_ANSWER: [string, (response: ServerResponse) => void, string][] = [
  [
    'whose headers never end',
    (response) => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx-long: ');
      drip(response, () => response.socket?.write('.'));
    },
    'did not answer in time',
  ],
  ['that is no HTTP', (response) => void response.socket?.end('Good morning\r\n\r\n'), 'could not be reached'],
  ['that is cut off', (response) => void response.socket?.destroy(), 'could not be reached'],
];

it.each(NO_ANSWER)('an answer %s is a failure, to be tried again', async (_kind, answer, reason) => {
  const { id } = await newEndpoint();
  receiver.answer = (_, response) => answer(response);
  const { status, attempt_log } = await tryOnce(id);
  expect({ status, attempt_log }).toMatchObject({ status: 'retrying', attempt_log: [{ status: null, answer: null }] });
  expect(attempt_log[0].error).toContain(reason);
  expect(attempt_log[0].duration_ms).toBeLessThan(17_000);
});
