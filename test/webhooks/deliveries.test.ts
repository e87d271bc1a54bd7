import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';

let stack: Stack;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  receiver = await startWebhookReceiver();
  return () => receiver.close();
});

async function createEndpoint(settings: object = {}) {
  const { status, body } = await stack.org.post('/webhooks', { url: receiver.url, ...settings });
  expect(status, JSON.stringify(body)).toBe(201);
  receiver.secrets.push(body.secret);
  return body as { id: string; secret: string };
}

describe('deliveries', () => {
  it('sends an event once, signed by the Standard Webhooks scheme, and shows its try', async () => {
    const endpoint = await createEndpoint({ event_types: ['contact.created'] });
    const { body: contact } = await stack.org.post('/contacts', { contact: { email: 'ann@example.com', name: 'Ann' } });
    const webhook = await eventually('the webhook', () => receiver.received[0]);

    expect(webhook.body).toMatchObject({
      type: 'contact.created',
      organization_id: stack.org.id,
      data: { contact: { id: contact.id, name: 'Ann', email: 'ann@example.com' } },
    });
    const delivery = await eventually('its record', async () => {
      const { body } = await stack.org.get(`/webhooks/${endpoint.id}/deliveries`);
      return body.items.find(({ status }: { status: string }) => status === 'delivered');
    });
    expect(delivery).toMatchObject({ id: webhook.id, event_type: 'contact.created', attempts: 1 });
    const { body: detail } = await stack.org.get(`/webhooks/${endpoint.id}/deliveries/${delivery.id}`);
    expect(detail).toMatchObject({ data: webhook.body.data, attempt_log: [{ number: 1, status: 200, answer: 'ok' }] });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.refused).toEqual([]);
  });
});
