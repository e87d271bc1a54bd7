import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { rowsWith } from '../support/stack/traces.ts';
import { createEndpoint, deliveriesOf } from './endpoints.ts';

let stack: Stack;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  receiver = await startWebhookReceiver();
});
afterAll(async () => {
  await receiver.close();
  await stack.close();
});

it('a deleted contact leaves no data in webhooks, sent or not, and its deletion is told by id', async () => {
  const { org } = stack;
  receiver.answer = ({ body }, response) => void response.writeHead(200).end(`thanks, ${body.data.contact?.name}`);
  const endpoint = await createEndpoint(org, receiver, {
    event_types: ['contact.created', 'contact.updated', 'contact.deleted', 'conversation.started'],
  });
  const save = async (name: string) =>
    (await org.post('/contacts', { contact: { email: `${name}@example.com`, name } })).body;
  const leaving = await save('leavingname');
  await save('stayingname');
  await org.post('/chat/sessions', { contact_id: leaving.id });
  await deliveriesOf(org, endpoint.id, { delivered: 3 });
  await org.patch(`/webhooks/${endpoint.id}`, { enabled: false });
  await org.post('/contacts', { contact: { email: 'leavingname@example.com', custom_data: { plan: 'leavingname' } } });
  await deliveriesOf(org, endpoint.id, { held: 1 });
  expect((await rowsWith(stack.db, 'leavingname')).filter((row) => row.startsWith('webhook_'))).not.toEqual([]);

  expect((await org.delete(`/contacts/${leaving.id}`)).status).toBe(200);
  await eventually('the deletion', async () => {
    const left = await rowsWith(stack.db, 'leavingname');
    return left.every((row) => !row.startsWith('webhook_'));
  });
  await org.patch(`/webhooks/${endpoint.id}`, { enabled: true });
  await deliveriesOf(org, endpoint.id, { held: 2 });
  receiver.received.length = 0;
  await org.post(`/webhooks/${endpoint.id}/recover`, { since: '2026-01-01T00:00:00Z' });
  await deliveriesOf(org, endpoint.id, { delivered: 5 });
  const told = receiver.received.map(({ body }) => [body.type, body.data]).toSorted();
  expect(told).toMatchObject([
    ['contact.deleted', { contact_id: leaving.id }],
    ['contact.updated', { contact: { id: leaving.id, email: null, name: null, custom_data: {} } }],
  ]);
  expect((await rowsWith(stack.db, 'stayingname')).filter((row) => row.startsWith('webhook_deliveries'))).toHaveLength(
    1,
  );
});
