import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { reserveCall } from '../../src/models/budgets/service.ts';
import { announce } from '../../src/outbox/announcing.ts';
import type { Announcement } from '../../src/outbox/events.ts';
import { WEBHOOK_BODIES, WEBHOOK_EVENT_TYPES, WEBHOOK_EVENTS } from '../../src/webhooks/events/schema.ts';
import { ARTICLES, newAnsweringOrg, QUESTION } from '../ai/answering-org.ts';
import { insightsOf, resolvedSaying } from '../insights/support.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/fakes/webhook-receiver.ts';
import { emailStep, inDomain } from '../support/sequences.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { createEndpoint } from './endpoints.ts';

/** What is said in the session, besides the question. */
const SESSION_WORDS = {
  agent: 'I am the agent who is here',
  reason: 'because it was asked for',
  comment: 'that went rather well',
  custom: 'custom words of the session',
  account: 'account words of the call',
};
const ASSIGNMENT = {
  teams: null,
  channels: ['web'],
  tags: null,
  filter: { or: [{ and: [{ type: 'contacts_email_domain_name_in', domain_name_in: ['example.net'] }] }] },
};

let stack: Stack;
let org: TestOrg;
let receiver: WebhookReceiver;
let endpointId: string;

beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  org = await newAnsweringOrg(stack);
  receiver = await startWebhookReceiver();
  endpointId = (await createEndpoint(org, receiver)).id;
});
afterAll(async () => {
  await receiver.close();
  await stack.close();
});

const received = (type: string) => eventually(type, () => receiver.received.find(({ body }) => body.type === type));
const announceEvent = (event: Announcement) => inTransaction(stack.db, (trx) => announce(trx, org.id, [event]));

async function talk() {
  const { body: contact } = await org.post('/contacts', { contact: { email: 'ann@example.com', name: 'Ann' } });
  await org.patch(`/contacts/${contact.id}`, { contact: { name: 'Anna' } });
  const { body: session } = await org.post('/chat/sessions', { contact_id: contact.id });
  const say = (sender: string, text: string) =>
    org.post(`/chat/sessions/${session.id}/send`, { sender, message: { type: 'text', text } });
  await org.patch(`/chat/sessions/${session.id}`, { custom_data: { order_status: SESSION_WORDS.custom } });
  await say('contact', QUESTION);
  await received('conversation.ai_response');
  await org.post(`/chat/sessions/${session.id}/handoff`, { reason: SESSION_WORDS.reason });
  await say('agent', SESSION_WORDS.agent);
  await org.patch('/org/settings', { csat: true });
  await org.patch(`/chat/sessions/${session.id}`, { status: 'closed_resolved' });
  await org.post('/csat/scores', { session_id: session.id, score: 4, comment: SESSION_WORDS.comment });
  return session.id as string;
}

/** Announces what WhatsApp tells of a message. */
async function changeMessage(sessionId: string) {
  const { items } = (await org.get(`/chat/sessions/${sessionId}/history`)).body;
  const message_id = items.find(({ event }: { event: { type: string } }) => event.type === 'message').id;
  for (const change of ['edited', 'deleted'] as const)
    await announceEvent({
      type: 'message-changed',
      subject_id: sessionId,
      payload: { message_id, change_id: newId(), change },
    });
}

async function runWorkflow(status: 'succeeded' | 'failed') {
  const session_id = status === 'failed' ? newId() : (await org.post('/chat/sessions', {})).body.id;
  const { body } = await org.post('/workflows', {
    name: status,
    trigger_type: 'manual-trigger',
    workflow_blocks: [
      { $kind: 'Action', id: 'note', type: 'add-note', name: 'Note', input: { session_id, text: 'x' } },
    ],
  });
  await org.post(`/workflows/${body.workflow_id}/activate`);
  await org.post(`/workflows/${body.workflow_id}/trigger`, {});
}

async function sendMail() {
  const { status, body } = await org.post('/sequences', {
    name: 'One mail',
    filter: inDomain('enrolled.example'),
    steps: [emailStep('hello')],
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  await org.post(`/sequences/${body.id}/contacts`, { contacts: [{ email: 'seq@enrolled.example' }] });
  const sent = await received('delivery.sent');
  for (const to of ['delivered', 'failed', 'unknown'])
    await sql`update deliveries set status = ${to} where id = ${sent.body.data.delivery.id}`.execute(stack.db);
}

async function callActions(sessionId: string) {
  const turn = await stack.db
    .selectFrom('ai_turns')
    .select('id')
    .where('session_id', '=', sessionId)
    .executeTakeFirstOrThrow();
  for (const state of ['done', 'unknown'])
    await sql`
      with asked as (select ${newId()}::uuid as id)
      insert into ai_calls (org_id, id, session_id, turn_id, epoch, action_id, operation_id, name, arguments, fingerprint, state, needs, expires_at)
      select ${org.id}::uuid, id, ${sessionId}, ${turn.id}, 0, ${newId()}, 'refund', 'Refund', ${JSON.stringify({ body_params: { account_number: SESSION_WORDS.account } })}, ${state}, 'needs_confirmation', 'agent', now() + interval '1 day'
      from asked`.execute(stack.db);
  for (const state of ['done', 'unknown'])
    await sql`update ai_calls set state = ${state}, tries = 1, ended_at = now() where fingerprint = ${state}`.execute(
      stack.db,
    );
}

async function useBudget(tokens: number) {
  const call = { id: newId(), sessionId: null, turnId: null, purpose: 'test', model: 'm', tokens, cost: 0 };
  await reserveCall(stack.db, org.id, call, { day: { tokens: 100 } });
}

async function reachClocks(sessionId: string) {
  const { body: policy } = await org.post('/sla/policies', { name: 'Gold', first_reply_target_seconds: 60 });
  const assigned = await org.put(`/sla/policies/${policy.id}/assignment`, ASSIGNMENT);
  expect(assigned).toMatchObject({ status: 200 });
  const clock = { policy_id: policy.id, metric: 'first_reply', cycle: 1, target_seconds: 60 };
  const payload = { ...clock, due_at: new Date().toISOString() };
  await announceEvent({ type: 'sla-first-reply-warning', subject_id: sessionId, payload });
  await announceEvent({ type: 'sla-first-reply-breached', subject_id: sessionId, payload });
}

async function cancelCrawl() {
  const { body: site } = await org.post('/crawl', { url: 'http://127.0.0.1:9/', auto_start_crawl: false });
  const { body: job } = await org.post(`/crawl/${site.id}/crawls`);
  await org.post(`/crawl/${site.id}/crawls/${job.id}/cancel`);
}

/** Makes an insight that occurs, is resolved, and occurs again. */
async function reopenInsight() {
  const words = 'My parcel has not arrived although it was sent two weeks ago';
  await resolvedSaying(stack, org, words);
  const [insight] = await insightsOf(org, { search: 'parcel' });
  await org.post(`/insights/${insight?.id}/resolve`);
  await resolvedSaying(stack, org, words);
}

const removeCitedArticle = () =>
  org.put('/help-center/content', { categories: [{ name: 'Shop', slug: 'shop', articles: ARTICLES.slice(1) }] });

async function disableAnother() {
  const other = await startWebhookReceiver();
  other.answer = (_, response) => void response.writeHead(410).end();
  await createEndpoint(org, other, { event_types: ['contact.created'] });
  const { body } = await org.post('/contacts', { contact: { email: 'another@example.com' } });
  await received('webhook.disabled');
  await org.delete(`/contacts/${body.id}`);
  await other.close();
}

async function mergeContacts() {
  const [first, second] = [
    await org.post('/contacts', { contact: { email: 'first@example.com' } }),
    await org.post('/contacts', { contact: { email: 'second@example.com' } }),
  ];
  expect(await org.post(`/contacts/${first.body.id}/merge`, { from_id: second.body.id })).toMatchObject({
    status: 200,
  });
}

/** Returns the webhooks about a session, as they are stored now. */
async function storedOf(sessionId: string) {
  const own = receiver.received.filter(({ body }) => body.data.session?.id === sessionId);
  return Promise.all(
    own.map(async ({ id, body }) => {
      const { body: stored } = await org.get(`/webhooks/${endpointId}/deliveries/${id}`);
      return { ...body, data: stored.data };
    }),
  );
}

it('each type is delivered with the data that the OpenAPI document describes, and nothing else', async () => {
  const sessionId = await talk();
  await changeMessage(sessionId);
  await runWorkflow('succeeded');
  await runWorkflow('failed');
  await sendMail();
  await callActions(sessionId);
  await useBudget(85);
  await useBudget(50);
  await useBudget(50);
  await reachClocks(sessionId);
  await cancelCrawl();
  await disableAnother();
  await reopenInsight();
  await removeCitedArticle();
  await mergeContacts();
  await org.post(`/webhooks/${endpointId}/test`);

  for (const type of WEBHOOK_EVENT_TYPES) {
    const { body } = await received(type);
    const schema = WEBHOOK_BODIES.get(type) as z.ZodType;
    const decoded = z.safeDecode(schema, body);
    expect({ type, error: decoded.error?.message }).toEqual({ type, error: undefined });
    expect(z.encode(schema, decoded.data)).toEqual(body);
  }
  const once = [
    'ai.budget_warning',
    'ai.budget_exhausted',
    'conversation.closed',
    'csat.requested',
    'sequence.completed',
  ];
  const isOfAnother = ({ session }: { session?: { id: string } }) => session !== undefined && session.id !== sessionId;
  for (const type of once) {
    const ofType = receiver.received.filter(({ body }) => body.type === type && !isOfAnother(body.data));
    expect({ type, count: ofType.length }).toEqual({ type, count: 1 });
  }
  expect(receiver.refused).toEqual([]);

  const words = [QUESTION, ...Object.values(SESSION_WORDS)];
  for (const word of words) expect(JSON.stringify(await storedOf(sessionId))).toContain(word);
  const { data: before } = (await received('sla.warning')).body;
  await org.post('/redaction/session', { sessionId });
  const redacted = await eventually('the redaction', async () => {
    const stored = await storedOf(sessionId);
    return words.some((word) => JSON.stringify(stored).includes(word)) ? undefined : stored;
  });
  const ofSessions = WEBHOOK_EVENT_TYPES.filter((type) => 'session' in WEBHOOK_EVENTS[type].full.shape);
  expect([...new Set(redacted.map(({ type }) => type))].toSorted()).toEqual(ofSessions.toSorted());
  for (const body of redacted) {
    const schema = WEBHOOK_BODIES.get(body.type) as z.ZodType;
    const decoded = z.safeDecode(schema, body);
    expect({ type: body.type, error: decoded.error?.message }).toEqual({ type: body.type, error: undefined });
    expect(z.encode(schema, decoded.data)).toEqual(body);
  }
  const { session, contact, ...clock } = redacted.find(({ type }) => type === 'sla.warning')?.data ?? {};
  expect(clock).toEqual({ metric: before.metric, cycle: before.cycle, due_at: before.due_at, policy: before.policy });
  expect({ contact, inSession: session.contact }).toEqual({
    contact: before.contact,
    inSession: before.session.contact,
  });
  expect(session.handoff).toMatchObject({ at: before.session.handoff.at, state: before.session.handoff.state });
}, 240_000);

it('the OpenAPI document describes each type under `webhooks`', async () => {
  const { body } = await stack.client().get('/openapi.json');
  expect(Object.keys(body.webhooks).sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
  for (const { post } of Object.values(body.webhooks) as {
    post: { requestBody: { content: Record<string, { schema: { $ref: string } }> } };
  }[]) {
    const name = post.requestBody.content['application/json']?.schema.$ref.split('/').at(-1) ?? '';
    expect(body.components.schemas[name]).toMatchObject({
      type: 'object',
      required: expect.arrayContaining(['type', 'data']),
    });
  }
});
