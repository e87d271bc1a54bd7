import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { FaultOrg } from './support/fault-org.ts';
import { type FaultStack, startFaultStack } from './support/fault-stack.ts';
import { KILLS, TEST_LIMIT_MS, WEBHOOKS } from './support/sizes.ts';
import { until } from './support/until.ts';

const CONTACTS_PER_REQUEST = 50;
const AWAY_MS = 1_500;
const WAIT_LIMIT_MS = TEST_LIMIT_MS / 2;

let stack: FaultStack;
let failing: WebhookReceiver;
let hanging: WebhookReceiver;
let gone: WebhookReceiver;

beforeAll(async () => {
  stack = await startFaultStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  [failing, hanging, gone] = await Promise.all([
    startWebhookReceiver(),
    startWebhookReceiver(),
    startWebhookReceiver(),
  ]);
}, TEST_LIMIT_MS);
afterAll(async () => {
  await Promise.all([failing.close(), hanging.close(), gone.close()]);
  await stack.close();
});

async function endpointFor(org: FaultOrg, receiver: WebhookReceiver): Promise<string> {
  const { status, body } = await org.post('/webhooks', { url: receiver.url, event_types: ['contact.created'] });
  expect({ status, body }).toMatchObject({ status: 201 });
  receiver.secrets.push(body.secret);
  return body.id;
}

/** Refuses 30 % of the tries, each webhook's as its id and number of tries say. */
function refuseSome(receiver: WebhookReceiver): void {
  const tries = new Map<string, number>();
  receiver.answer = ({ id }, response) => {
    const number = (tries.get(id) ?? 0) + 1;
    tries.set(id, number);
    const [byte = 0] = createHash('sha256').update(`${id} ${number}`).digest();
    response.writeHead(byte < 0.3 * 256 ? 500 : 200).end();
  };
}

async function addContacts(org: FaultOrg): Promise<void> {
  for (let at = 0; at < WEBHOOKS; at += CONTACTS_PER_REQUEST) {
    const contacts = Array.from({ length: CONTACTS_PER_REQUEST }, (_, n) => ({ email: `c${at + n}@example.com` }));
    expect((await org.post('/contacts/batch', { contacts })).status).toBe(200);
  }
}

/** The ids of an endpoint's webhooks by their status, from the database: there are thousands. */
async function idsOf(endpointId: string): Promise<Map<string, string[]>> {
  const rows = await stack.db
    .selectFrom('webhook_deliveries')
    .select(['id', 'status'])
    .where('endpoint_id', '=', endpointId)
    .execute();
  return new Map(
    [...Map.groupBy(rows, ({ status }) => status)].map(([status, own]) => [status, own.map(({ id }) => id)]),
  );
}

/** Sends what waits for its next try at once, again and again, until all is delivered. */
const untilDelivered = (org: FaultOrg, endpointId: string) =>
  until(
    'all were delivered',
    async () => {
      await org.post(`/webhooks/${endpointId}/recover`, {
        since: '2026-01-01T00:00:00Z',
        states: ['retrying', 'failed'],
      });
      await sleep(1_000);
      return (await idsOf(endpointId)).get('delivered')?.length === WEBHOOKS;
    },
    WAIT_LIMIT_MS,
  );

const receivedIds = ({ received }: WebhookReceiver): string[] => [...new Set(received.map(({ id }) => id))].sort();

it(
  'every event is delivered under one id though worker, api, Postgres and Temporal are killed, and none is lost over a disabled period',
  async () => {
    const org = await stack.newOrg();
    refuseSome(failing);
    hanging.answer = () => undefined;
    gone.answer = (_, response) => void response.writeHead(410).end();
    const [failingId, hangingId, goneId] = [
      await endpointFor(org, failing),
      await endpointFor(org, hanging),
      await endpointFor(org, gone),
    ];

    const adding = addContacts(org);
    for (let kill = 0; kill < KILLS; kill++) {
      for (const part of [stack.worker, stack.api, stack.postgres, stack.temporal]) {
        await sleep(AWAY_MS);
        await part.kill();
        await sleep(part === stack.worker ? 0 : AWAY_MS);
        await part.start();
      }
    }
    await adding;
    await until(
      'all events have become deliveries',
      async () => {
        const { rows } = await sql<{ count: number }>`select count(*) as count from webhook_deliveries`.execute(
          stack.db,
        );
        return rows[0]?.count === 3 * WEBHOOKS;
      },
      WAIT_LIMIT_MS,
    );

    hanging.answer = (_, response) => void response.writeHead(200).end();
    await untilDelivered(org, failingId);
    await untilDelivered(org, hangingId);
    for (const [receiver, id] of [
      [failing, failingId],
      [hanging, hangingId],
    ] as const) {
      expect(receivedIds(receiver)).toEqual((await idsOf(id)).get('delivered')?.toSorted());
      expect(new Set(receiver.received.map(({ body }) => body.data.contact.id)).size).toBe(WEBHOOKS);
      expect(receiver.refused).toEqual([]);
    }

    await until(
      'the third was disabled',
      async () => (await idsOf(goneId)).get('held')?.length === WEBHOOKS,
      WAIT_LIMIT_MS,
    );
    const held = (await idsOf(goneId)).get('held')?.toSorted();
    gone.received.length = 0;
    gone.answer = (_, response) => void response.writeHead(200).end();
    expect((await org.call('PATCH', `/webhooks/${goneId}`, { enabled: true })).status).toBe(200);
    const { body } = await org.post(`/webhooks/${goneId}/recover`, { since: '2026-01-01T00:00:00Z' });
    expect(body.count).toBe(WEBHOOKS);
    await until(
      'what was held is delivered',
      async () => (await idsOf(goneId)).get('delivered')?.length === WEBHOOKS,
      WAIT_LIMIT_MS,
    );
    expect(receivedIds(gone)).toEqual(held);
    expect(gone.refused).toEqual([]);
  },
  TEST_LIMIT_MS,
);
