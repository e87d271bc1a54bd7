import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../../src/db/transaction.ts';
import { redactWebhooks } from '../../src/webhooks/redaction.service.ts';
import { recordTries } from '../../src/webhooks/sending/recording.queries.ts';
import { resolvedSaying } from '../insights/support.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint, deliveriesOf } from './endpoints.ts';

const WORD = 'SECRETWORD';

let stack: Stack;
let org: TestOrg;
let receiver: WebhookReceiver;

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(() => stack.close());
beforeEach(async () => {
  org = await stack.createOrg();
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

async function sessionSaying(...texts: string[]) {
  const { body: session } = await org.post('/chat/sessions', {});
  for (const text of texts) {
    const message = { sender: 'contact', message: { type: 'text', text } };
    await org.post(`/chat/sessions/${session.id}/send`, message);
  }
  return session.id as string;
}

const shownDelivery = async (endpointId: string, id: string | undefined) =>
  (await org.get(`/webhooks/${endpointId}/deliveries/${id}`)).body;

const withoutWord = (endpointId: string, id: string | undefined) =>
  eventually('the redaction', async () => {
    const { data } = await shownDelivery(endpointId, id);
    return JSON.stringify(data).includes(WORD) ? undefined : data;
  });

describe('an answer that repeats what is redacted while it is waited for is not stored', () => {
  let open: ServerResponse[];
  beforeEach(() => {
    open = [];
    receiver.answer = (_, response) => void open.push(response);
  });

  async function answerAfter(type: string, redact: () => Promise<unknown>, act: () => Promise<unknown>) {
    const { id } = await createEndpoint(org, receiver, { event_types: [type] });
    await act();
    const [delivery] = await deliveriesOf(org, id, { pending: 1 });
    await eventually('the try', () => open.length === 1);
    expect(receiver.received[0]?.raw).toContain(WORD);
    await redact();
    await withoutWord(id, delivery?.id);
    open[0]?.writeHead(200).end(`thanks for ${WORD}`);
    await deliveriesOf(org, id, { delivered: 1 });
    expect((await shownDelivery(id, delivery?.id)).attempt_log).toMatchObject([{ status: 200, answer: '[redacted]' }]);
  }

  it('of a session', async () => {
    let sessionId: string;
    await answerAfter(
      'conversation.contact_response',
      () => org.post('/redaction/session', { sessionId }),
      async () => {
        sessionId = await sessionSaying(`the ${WORD}`);
      },
    );
  });

  it('of a contact', async () => {
    let contactId: string;
    await answerAfter(
      'contact.created',
      () => org.delete(`/contacts/${contactId}`),
      async () => {
        const { body } = await org.post('/contacts', { contact: { email: 'ann@example.com', name: WORD } });
        contactId = body.id;
      },
    );
  });

  it('of the name of an insight', async () => {
    let sessionId: string;
    await answerAfter(
      'insight.created',
      () => org.post('/redaction/session', { sessionId }),
      async () => {
        sessionId = await resolvedSaying(stack, org, `My parcel with the ${WORD} has not arrived yet`);
      },
    );
  });
});

it('an answer whose transaction the redaction waits for is redacted', async () => {
  const { id: endpointId } = await createEndpoint(org, receiver, { event_types: ['conversation.contact_response'] });
  await stack.db.updateTable('webhook_endpoints').set({ is_sending: true }).where('id', '=', endpointId).execute();
  const sessionId = await sessionSaying(`the ${WORD}`);
  const [delivery] = await deliveriesOf(org, endpointId, { pending: 1 });
  const deliveryId = delivery?.id ?? '';
  const answered = { status: 200, durationMs: 1, answer: WORD, error: null, isAccepted: true, isGone: false };
  let redaction: Promise<void> | undefined;
  await inTransaction(stack.db, async (trx) => {
    await recordTries(trx, org.id, [{ deliveryId, at: new Date(), ...answered, delayMs: null }]);
    const event = { subject_id: sessionId, payload: { message_id: null } };
    redaction = inTransaction(stack.db, (other) => redactWebhooks(other, org.id, [event as never]));
    await sleep(500);
  });
  await redaction;
  expect((await shownDelivery(endpointId, deliveryId)).attempt_log).toMatchObject([{ answer: '[redacted]' }]);
});

it('of one redacted message, webhooks about it lose all texts, and the others what may repeat it', async () => {
  const { id: endpointId } = await createEndpoint(org, receiver, {
    event_types: [
      'conversation.contact_response',
      'conversation.agent_response',
      'conversation.handoff_to_human',
      'csat.score_submitted',
    ],
  });
  receiver.answer = ({ body }, response) => void response.writeHead(200).end(`thanks for ${JSON.stringify(body)}`);
  const sessionId = await sessionSaying(`the ${WORD}`, 'harmless words');
  await deliveriesOf(org, endpointId, { delivered: 2 }); // rendered later, they would have the reason of the handoff
  await org.post(`/chat/sessions/${sessionId}/handoff`, { reason: `repeats the ${WORD}` });
  const reply = { sender: 'agent', message: { type: 'text', text: 'words of an agent' } };
  await org.post(`/chat/sessions/${sessionId}/send`, reply);
  await org.patch(`/chat/sessions/${sessionId}`, { status: 'closed_resolved' });
  await org.post('/csat/scores', { session_id: sessionId, score: 4, comment: 'words of a comment' });
  const deliveries = await deliveriesOf(org, endpointId, { delivered: 5 });
  const stored = () => Promise.all(deliveries.map(({ id }) => shownDelivery(endpointId, id)));
  const messageId = (await stored()).find(({ data }) => data.message?.event.content.text === `the ${WORD}`).data.message
    .id;

  expect((await org.post('/redaction/message', { messageId })).status).toBe(200);
  const left = await eventually('the redaction', async () => {
    const now = await stored();
    return JSON.stringify(now).includes(WORD) ? undefined : now;
  });
  const about = (text: string) => left.find(({ data }) => JSON.stringify(data).includes(text));
  expect(about('harmless words')).toMatchObject({
    data: { message: { event: { content: { text: 'harmless words' } } } },
    attempt_log: [{ answer: expect.stringContaining('thanks for') }],
  });
  expect(about('words of an agent')?.data.session.handoff).toMatchObject({ reason: '[redacted]' });
  expect(about('words of a comment')?.data.score).toMatchObject({ score: 4, comment: 'words of a comment' });
  expect(left.find(({ data }) => data.message?.id === messageId).data).toMatchObject({
    message: { event: { content: { text: '[redacted]' }, sender: { type: 'contact' } } },
  });
});
