import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listPendingDeliveries } from '../../src/webhooks/deliveries/shared.queries.ts';
import { findWholeEndpoint } from '../../src/webhooks/endpoints/shared.queries.ts';
import { sendPending } from '../../src/webhooks/sending/pending.service.ts';
import { createSenderRegistry } from '../../src/webhooks/sending/sender-registry.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint, deliveriesOf } from './endpoints.ts';

const FIRST_IN_FLIGHT = 10;
/** Longer than a hint takes from a commit to the sender. */
const HINT_MS = 700;

let stack: Stack;
let org: TestOrg;
let receiver: WebhookReceiver;
/** Answers that the receiver holds back. */
let open: ServerResponse[];

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  receiver = await startWebhookReceiver();
  open = [];
});
afterEach(() => receiver.close());

/** Answers what was held back, and everything from now on. */
function answerAll() {
  receiver.answer = (_, response) => void response.writeHead(200).end();
  for (const response of open.splice(0)) response.writeHead(200).end();
}

/** Creates an endpoint whose sender has begun ten tries, and keeps 30 deliveries in memory. */
async function busyEndpoint() {
  const endpoint = await createEndpoint(org, receiver, { event_types: ['contact.created'] });
  receiver.answer = (_, response) => void open.push(response);
  await org.post('/contacts/batch', {
    contacts: Array.from({ length: 40 }, (_, n) => ({ email: `waiting${n}@example.com` })),
  });
  await deliveriesOf(org, endpoint.id, { pending: 40 });
  await eventually('the first tries', () => open.length === FIRST_IN_FLIGHT);
  return endpoint;
}

describe('what a sender has read and not sent yet', () => {
  it('is held once the endpoint is disabled', async () => {
    const { id } = await busyEndpoint();
    await org.patch(`/webhooks/${id}`, { enabled: false });
    await sleep(HINT_MS);
    answerAll();
    await deliveriesOf(org, id, { delivered: FIRST_IN_FLIGHT, held: 30 });
    await sleep(HINT_MS);
    expect(receiver.received).toHaveLength(FIRST_IN_FLIGHT);
  });

  it('is not sent once the endpoint is deleted', async () => {
    const { id } = await busyEndpoint();
    await org.delete(`/webhooks/${id}`);
    await sleep(HINT_MS);
    answerAll();
    await sleep(2 * HINT_MS);
    expect(receiver.received).toHaveLength(FIRST_IN_FLIGHT);
  });

  it('goes to the new URL once there is one', async () => {
    const { id, secret } = await busyEndpoint();
    const moved = await startWebhookReceiver();
    moved.secrets.push(secret);
    await org.patch(`/webhooks/${id}`, { url: moved.url });
    await sleep(HINT_MS);
    answerAll();
    await deliveriesOf(org, id, { delivered: 40 });
    expect([receiver.received.length, moved.received.length]).toEqual([FIRST_IN_FLIGHT, 30]);
    await moved.close();
  });

  it('is not signed by a secret that was replaced without a grace period', async () => {
    const { id } = await busyEndpoint();
    const { body } = await org.post(`/webhooks/${id}/rotate-secret`, { grace_hours: 0 });
    await sleep(HINT_MS);
    receiver.secrets = [body.secret];
    answerAll();
    await deliveriesOf(org, id, { delivered: 40 });
    expect(receiver.refused).toEqual([]);
  });

  it('is sent without the texts of a session that was redacted since', async () => {
    const { id } = await createEndpoint(org, receiver, { event_types: ['conversation.contact_response'] });
    receiver.answer = (_, response) => void open.push(response);
    const { body: session } = await org.post('/chat/sessions', {});
    for (let n = 0; n < 15; n++)
      await org.post(`/chat/sessions/${session.id}/send`, {
        sender: 'contact',
        message: { type: 'text', text: `the SECRETWORD ${n}` },
      });
    const deliveries = await deliveriesOf(org, id, { pending: 15 });
    await eventually('the first tries', () => open.length === FIRST_IN_FLIGHT);
    await org.post('/redaction/session', { sessionId: session.id });
    await eventually('the redaction', async () => {
      const { body } = await org.get(`/webhooks/${id}/deliveries/${deliveries[14]?.id}`);
      return !JSON.stringify(body).includes('SECRETWORD');
    });
    await sleep(HINT_MS);
    answerAll();
    await deliveriesOf(org, id, { delivered: 15 });
    expect(receiver.received.filter(({ raw }) => raw.includes('SECRETWORD'))).toHaveLength(FIRST_IN_FLIGHT);
  });
});

/** Makes the first tries of an endpoint in this process, with a pending delivery of which only this sender knows. */
async function ownSender() {
  const { id: endpointId } = await createEndpoint(org, receiver, { event_types: ['contact.created'] });
  const { db, secrets, egress } = stack.deps;
  await stack.db.updateTable('webhook_endpoints').set({ is_sending: true }).where('id', '=', endpointId).execute();
  return { db, secrets, egress, ref: { orgId: org.id, endpointId }, webhookSenders: createSenderRegistry() };
}

it('a delivery that was read from the database is not sent again when it is handed over', async () => {
  const { ref, ...deps } = await ownSender();
  receiver.answer = (_, response) => void open.push(response);
  await org.post('/contacts', { contact: { email: 'twice@example.com' } });
  const [delivery] = await deliveriesOf(org, ref.endpointId, { pending: 1 });
  let isStopped = false;
  const sending = sendPending({ ...deps, isStopped: () => isStopped }, ref);
  await eventually('the try', () => open.length === 1);
  const endpoint = await findWholeEndpoint(deps.db, ref.orgId, ref.endpointId);
  const list = await listPendingDeliveries(deps.db, ref, { limit: 9, except: [], isOrdered: false });
  expect(list.map(({ id }) => id)).toEqual([delivery?.id]);
  const { version = '' } = endpoint ?? {};
  deps.webhookSenders.handOver({ endpoint_id: ref.endpointId, version, list: () => list });
  await sleep(HINT_MS);
  answerAll();
  await deliveriesOf(org, ref.endpointId, { delivered: 1 });
  isStopped = true;
  await sending;
  expect(receiver.received).toHaveLength(1);
});

it('a sender reads deliveries from the database at once where it cannot accept them in its process', async () => {
  const { ref, ...deps } = await ownSender();
  receiver.answer = (_, response) => void open.push(response);
  await org.post('/contacts', { contact: { email: 'first@example.com' } });
  await deliveriesOf(org, ref.endpointId, { pending: 1 });
  let isStopped = false;
  const sending = sendPending({ ...deps, isStopped: () => isStopped }, ref);
  await eventually('the first try', () => open.length === 1);
  await org.post('/contacts', { contact: { email: 'second@example.com' } });
  await deliveriesOf(org, ref.endpointId, { pending: 2 });
  const another = { endpoint_id: ref.endpointId, version: 'another', list: () => [] };
  expect(deps.webhookSenders.handOver(another)).toBe(true);
  await eventually('the second try', () => open.length === 2);
  isStopped = true;
  expect(deps.webhookSenders.handOver(another)).toBe(false); // it begins no more tries, so another process has to
  answerAll();
  await sending;
  await deliveriesOf(org, ref.endpointId, { delivered: 2 });
});

it('deliveries of an endpoint without a sender in this process are not handed over', () => {
  const isHandedOver = createSenderRegistry().handOver({ endpoint_id: org.id, version: '1', list: () => [] });
  expect(isHandedOver).toBe(false);
});
