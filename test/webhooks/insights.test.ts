import { insightsOf, resolvedSaying } from '../insights/support.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint, deliveriesOf } from './endpoints.ts';

const PARCEL = 'My parcel has not arrived although it was sent two weeks ago';
const SECRET = 'My parcel with the zirconium ring has not arrived although it was sent two weeks ago';
const TYPES = ['insight.created', 'insight.resolved', 'insight.reopened'];

let stack: Stack;
let receiver: WebhookReceiver;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  receiver = await startWebhookReceiver();
  receiver.answer = ({ body }, response) => void response.writeHead(200).end(`noted: ${body.data.insight?.content}`);
});
afterAll(async () => {
  await receiver.close();
  await stack.close();
});

async function storedOf(org: TestOrg, endpointId: string, ids: string[]): Promise<string> {
  const paths = ids.map((id) => `/webhooks/${endpointId}/deliveries/${id}`);
  return JSON.stringify(await Promise.all(paths.map(async (path) => (await org.get(path)).body)));
}

/** Redacts the session, and returns the stored webhooks once no word of it is there. */
async function redacted(org: TestOrg, sessionId: string, stored: () => Promise<string>): Promise<string> {
  await org.post('/redaction/session', { sessionId });
  return eventually('no word', async () => {
    const text = await stored();
    return text.includes('zirconium') ? undefined : text;
  });
}

it('an insight’s life is told, with the sessions in which it occurred', async () => {
  const org = await stack.createOrg();
  const full = await createEndpoint(org, receiver, { event_types: TYPES });
  const thin = await createEndpoint(org, receiver, { event_types: TYPES, payload: 'thin' });
  const first = await resolvedSaying(stack, org, PARCEL);
  const [insight] = await insightsOf(org);
  await org.post(`/insights/${insight?.id}/resolve`);
  await deliveriesOf(org, full.id, { delivered: 2 });
  const second = await resolvedSaying(stack, org, PARCEL);
  await deliveriesOf(org, full.id, { delivered: 3 });
  await deliveriesOf(org, thin.id, { delivered: 3 });

  const told = Map.groupBy(
    receiver.received.filter(({ body }) => body.organization_id === org.id),
    ({ body }): string => ('insight' in body.data ? 'full' : 'thin'),
  );
  const dataOf = (form: string) => Object.fromEntries((told.get(form) ?? []).map(({ body }) => [body.type, body.data]));
  const id = insight?.id;
  expect(dataOf('full')).toMatchObject({
    'insight.created': { insight: { id, content: PARCEL, status: 'unresolved' }, session_id: first },
    'insight.resolved': { insight: { id, status: 'resolved', resolved_by: expect.any(String) } },
    'insight.reopened': { insight: { id, status: 'unresolved', reopened_because: second }, session_id: second },
  });
  const url = `${stack.url}/insights/${id}`;
  expect(dataOf('thin')).toEqual({
    'insight.created': { insight_id: id, session_id: first, url },
    'insight.resolved': { insight_id: id, url },
    'insight.reopened': { insight_id: id, session_id: second, url },
  });
});

it('the redaction of a session leaves no word of it in webhooks about insights, sent or not', async () => {
  const org = await stack.createOrg();
  const sent = await createEndpoint(org, receiver, { event_types: TYPES });
  const held = await createEndpoint(org, receiver, { event_types: TYPES });
  await org.patch(`/webhooks/${held.id}`, { enabled: false });
  const session = await resolvedSaying(stack, org, SECRET);
  await resolvedSaying(stack, org, PARCEL);
  const ids = async (endpointId: string, states: Record<string, number>) =>
    (await deliveriesOf(org, endpointId, states)).map(({ id }) => id);
  const sentIds = await ids(sent.id, { delivered: 1 });
  const heldIds = await ids(held.id, { held: 1 });
  const stored = async () => (await storedOf(org, sent.id, sentIds)) + (await storedOf(org, held.id, heldIds));
  expect((await stored()).split('zirconium')).toHaveLength(4);

  const left = await redacted(org, session, stored);
  expect(left.split(PARCEL)).toHaveLength(3);
  expect(left).toContain('"answer":"[redacted]"');
});

it('the redaction reaches a name that the insight no longer has, too', async () => {
  const org = await stack.createOrg();
  const endpoint = await createEndpoint(org, receiver, { event_types: TYPES });
  const session = await resolvedSaying(stack, org, SECRET);
  const [insight] = await insightsOf(org);
  const [delivery] = await deliveriesOf(org, endpoint.id, { delivered: 1 });
  await org.patch(`/insights/${insight?.id}`, { content: 'Parcels are late' });
  const stored = () => storedOf(org, endpoint.id, [delivery?.id ?? '']);
  expect(await stored()).toContain('zirconium');
  const left = await redacted(org, session, stored);
  expect(left).toContain(`"id":"${insight?.id}"`);
});
