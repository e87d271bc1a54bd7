import { Client, Connection } from '@temporalio/client';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { historiesWith, rowsWith } from '../support/stack/traces.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { TEST_LIMIT_MS } from './support/sizes.ts';
import { until } from './support/until.ts';

const TOKEN = 'topsecretheadertoken';
const WAIT_LIMIT_MS = 60_000;

let stack: FaultStack;
let receiver: WebhookReceiver;
let connection: Connection;

beforeAll(async () => {
  stack = await startFaultStack({ env: { EGRESS_ALLOW: '127.0.0.1', LOG_LEVEL: 'trace' } });
  receiver = await startWebhookReceiver();
  connection = await Connection.connect({ address: stack.temporalAddress });
}, TEST_LIMIT_MS);
afterAll(async () => {
  await connection.close();
  await receiver.close();
  await stack.close();
});

it(
  'an endpoint’s secrets are in no log, row or history, and in no answer but those that make them',
  async () => {
    const org = await stack.newOrg();
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const settings = { url: receiver.url, event_types: ['contact.created'], headers };
    const create = () => org.call('POST', '/webhooks', settings, 'once');
    const [created, replayed] = [await create(), await create()];
    expect(created.status).toBe(201);
    expect(replayed.body).toEqual(created.body);
    const { id, secret } = created.body;
    const { body: rotated } = await org.call('POST', `/webhooks/${id}/rotate-secret`, {}, 'rotation');
    receiver.secrets.push(secret, rotated.secret);

    receiver.answer = ({ headers: sent }, response) =>
      void response
        .writeHead(500, { 'x-echo': String(sent.authorization) })
        .end(`${sent.authorization} ${secret} ${rotated.secret}`);
    const refused = [
      await org.call('POST', '/webhooks', { ...settings, url: 'http://10.0.0.1/' }),
      await org.call('PATCH', `/webhooks/${id}`, { headers, secret, max_per_second: -1 }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    const closed = await org.call('POST', '/webhooks', { ...settings, url: 'http://127.0.0.1:9/' });
    await org.call('POST', '/contacts', { contact: { email: 'ann@example.com' } });
    const retried = () =>
      stack.db.selectFrom('webhook_deliveries').select('id').where('status', '=', 'retrying').execute();
    await until('both have failed', async () => (await retried()).length === 2, WAIT_LIMIT_MS);
    await until('the first was tried again', async () => receiver.received.length >= 2, WAIT_LIMIT_MS);
    expect(receiver.received[0]?.headers.authorization).toBe(headers.Authorization);

    const shown = [
      await org.call('GET', '/webhooks'),
      await org.call('GET', `/webhooks/${id}/deliveries`),
      ...(await Promise.all((await retried()).map((row) => org.call('GET', `/webhooks/${id}/deliveries/${row.id}`)))),
      ...refused,
    ];
    expect(JSON.stringify(shown)).toContain('***');
    const secrets = [secret, rotated.secret, closed.body.secret].map((one: string) => one.slice('whsec_'.length));
    const client = new Client({ connection });
    const logs = stack.logs();
    for (const program of ['api', 'worker']) expect(logs).toContain(`"name":"${program}"`);
    for (const word of [TOKEN, ...secrets]) {
      expect(JSON.stringify(shown)).not.toContain(word);
      expect(await rowsWith(stack.db, word)).toEqual([]);
      expect(await historiesWith(client, org.id, word)).toEqual([]);
      expect(logs).not.toContain(word);
    }
    expect(await historiesWith(client, org.id, id)).not.toEqual([]);
  },
  TEST_LIMIT_MS,
);
