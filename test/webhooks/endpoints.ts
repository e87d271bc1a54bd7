import type { WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { Client } from '../support/stack/api.ts';
import { eventually } from '../support/stack/stack.ts';

/** Creates an endpoint for a receiver, which then accepts its signatures. */
export async function createEndpoint(org: Client, receiver: WebhookReceiver, settings: object = {}) {
  const { status, body } = await org.post('/webhooks', { url: receiver.url, ...settings });
  expect({ status, body }).toMatchObject({ status: 201 });
  receiver.secrets.push(body.secret);
  return body as { id: string; secret: string };
}

/** Waits until an endpoint's deliveries are as many in these states, and returns them. */
export const deliveriesOf = (org: Client, endpointId: string, states: Record<string, number>) =>
  eventually(`deliveries ${JSON.stringify(states)}`, async () => {
    const { body } = await org.get(`/webhooks/${endpointId}/deliveries?limit=100`);
    const items = body.items as { id: string; status: string; event_type: string; sequence: number | null }[];
    const isReached = Object.entries(states).every(
      ([state, count]) => items.filter(({ status }) => status === state).length === count,
    );
    return isReached && items;
  });
