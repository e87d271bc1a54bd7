import { createConversationStore } from '../../src/crm/salesforce/conversation-store.service.ts';
import { renewExpiringTokens } from '../../src/crm/salesforce/renewal.service.ts';
import { connectTwilio, FAKES_ALLOWED, newNumber } from '../support/channels.ts';
import {
  errorAfter,
  resetAfter,
  resetBefore,
  slow,
  tooManyRequests,
  unavailable,
} from '../support/fakes/faulty-server.ts';
import { type FakeSalesforce, salesforceRefuses, startFakeSalesforce } from '../support/fakes/salesforce.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/fakes/twilio.ts';
import type { Client, TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../support/stack/stack.ts';
import { unverified } from '../widget/client.ts';

let stack: Stack;
let fake: FakeSalesforce;
let org: TestOrg;
beforeAll(async () => {
  stack = await startStack({ env: FAKES_ALLOWED });
});
afterAll(() => stack.close());
beforeEach(async () => {
  fake = await startFakeSalesforce();
  org = await stack.createOrg();
  await connect(fake.settings);
  await org.patch('/org/settings', { handoff_target: 'miaw' });
});
afterEach(() => fake.close());

const connect = async (settings: object) => {
  const { status } = await org.put('/integrations/miaw', { provider: 'salesforce', settings });
  expect(status).toBe(200);
};
const say = async (id: string, text: string, sender = 'contact') => {
  const { status } = await org.post(`/chat/sessions/${id}/send`, { sender, message: { type: 'text', text } });
  expect(status).toBe(201);
};
const notify = (sessionId: string, client: Client = org) =>
  client.post('/crm/miaw/webhook', { event: 'message:new', session_id: sessionId });
const events = async (
  id: string,
): Promise<{ type: string; sender?: string; content?: string; sender_name?: string }[]> =>
  (await org.get(`/chat/sessions/${id}/history?limit=200`)).body.items.map(
    ({ event }: { event: { sender?: { type: string }; content?: { text: string } } }) => ({
      ...event,
      sender: event.sender?.type,
      content: event.content?.text,
    }),
  );
const replies = async (id: string) =>
  (await events(id)).filter(({ sender }) => sender === 'human_agent').map(({ content }) => content);
const untilReplies = (id: string, count: number) =>
  eventually(`${count} replies`, async () => {
    const found = await replies(id);
    return found.length >= count && found;
  });
const conversationRow = (id: string) =>
  stack.db.selectFrom('miaw_conversations').selectAll().where('session_id', '=', id).executeTakeFirst();
const ledger = (id: string) =>
  stack.db
    .selectFrom('crm_messages')
    .select(['id', 'state', 'attempts', 'error'])
    .where('session_id', '=', id)
    .orderBy('created_at')
    .execute();
const workflowOf = (id: string) => stack.temporal.workflow.getHandle(`miaw-sync/${id}`);
/** Waits until no signal is pending and the workflow has ended. */
const untilIdle = (id: string) =>
  eventually('the end of the workflow', async () => {
    const waiting = await stack.db.selectFrom('outbox').select('id').where('subject_id', '=', id).execute();
    return waiting.length === 0 && (await workflowOf(id).describe()).status.name !== 'RUNNING';
  });
/** Returns the contact's messages in Salesforce, without the introduction. */
const heard = (conversationId: string) => fake.heard(conversationId).slice(1);
const untilHeard = (conversationId: string, count: number) =>
  eventually(`${count} messages in Salesforce`, () => heard(conversationId).length >= count && heard(conversationId));

/** Waits for the conversation that continues another one. */
const untilContinued = (conversationId: string) =>
  eventually('the next conversation', () =>
    [...fake.conversations.values()].find(({ routingAttributes }) => routingAttributes.continues === conversationId),
  );

/** Hands off a session to Salesforce. Returns the session and its conversation there. */
async function handedOver(body: object = {}): Promise<{ id: string; conversationId: string }> {
  const { id } = (await org.post('/chat/sessions', body)).body;
  await say(id, 'Where is my order?');
  expect((await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Wants a human' })).status).toBe(200);
  const row = await eventually('the conversation', async () => {
    const { handoff } = (await org.get(`/chat/sessions/${id}`)).body;
    return handoff.state === 'done' && conversationRow(id);
  });
  return { id, conversationId: row.conversation_id };
}

describe('the Salesforce webhook', () => {
  it('requires the scope crm-miaw:write, and no other', async () => {
    const { id } = await handedOver();
    const without = await org.withScopes('chat-sessions:write', 'org:write');
    expect(await notify(id, without)).toMatchObject({
      status: 403,
      body: { message: 'Missing required scope: crm-miaw:write' },
    });
    expect(await notify(id, await org.withScopes('crm-miaw:write'))).toMatchObject({
      status: 200,
      body: { success: true },
    });
    expect((await notify(id, stack.client())).status).toBe(401);
  });

  it('answers 404 for a session of another org or an unknown one', async () => {
    const { id } = await handedOver();
    expect((await notify(id, stack.other)).status).toBe(404);
    expect((await notify(crypto.randomUUID())).status).toBe(404);
  });

  it.each([
    ['no event', { session_id: crypto.randomUUID() }, 'body.event'],
    ['another event', { event: 'message:read', session_id: crypto.randomUUID() }, 'body.event'],
    ['no session', { event: 'message:new' }, 'body.session_id'],
    ['a session that is no id', { event: 'message:new', session_id: 'abc' }, 'body.session_id'],
  ])('answers 400 for %s, and names the invalid field', async (_, body, path) => {
    const answer = await org.post('/crm/miaw/webhook', body);
    expect(answer).toMatchObject({ status: 400, body: { issues: [{ path }] } });
  });

  it('does nothing for a session that is not in Salesforce', async () => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    expect((await notify(id)).status).toBe(200);
    await untilIdle(id);
    expect(await events(id)).toEqual([]);
  });
});

it('the conversation in Salesforce begins with a summary of the session', async () => {
  const { conversationId } = await handedOver();
  const [introduction] = await eventually('the introduction', () => {
    const said = fake.heard(conversationId);
    return said.length > 0 && said;
  });
  expect(introduction).toContain('Summary: Customer: Where is my order?');
});

describe('agents’ messages in Salesforce', () => {
  it('are stored in the session once and in order, for every agent, however often they are announced', async () => {
    const { id, conversationId } = await handedOver();
    const texts = Array.from({ length: 12 }, (_, n) => `reply ${n}`);
    const calls: Promise<unknown>[] = [];
    for (const [n, text] of texts.entries()) {
      fake.say(conversationId, text, { name: n % 2 === 0 ? 'Grace' : 'Edsger' });
      calls.push(notify(id), notify(id));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await Promise.all(calls);
    await untilReplies(id, texts.length);
    await notify(id);
    await untilIdle(id);
    expect(await replies(id)).toEqual(texts);
    expect((await events(id)).findLast(({ sender }) => sender === 'human_agent')).toMatchObject({
      sender_name: 'Edsger',
    });
    expect((await org.get(`/chat/sessions/${id}`)).body.waiting_on).toBe('customers');
  });

  it('are stored only if they are texts of agents', async () => {
    const { id, conversationId } = await handedOver();
    fake.say(conversationId, 'I am a bot', { role: 'Chatbot' });
    fake.say(conversationId, 'Session started', { role: 'System' });
    fake.say(conversationId, '', {
      payload: { entryType: 'Message', abstractMessage: { messageType: 'ChoicesMessage' } },
    });
    fake.say(conversationId, 'Hello', {});
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Hello']);
  });

  it('are found if they appear late, and if many have the same millisecond', async () => {
    const { id, conversationId } = await handedOver();
    const at = Date.now();
    fake.say(conversationId, 'second', { at });
    await notify(id);
    await untilReplies(id, 1);
    await untilIdle(id);
    fake.say(conversationId, 'first, late', { at: at - 3_000 });
    for (let n = 0; n < 120; n++) fake.say(conversationId, `m${n}`, { at: at + 1 + Math.floor(n / 40) });
    await notify(id);
    const found = await untilReplies(id, 122);
    expect(new Set(found).size).toBe(122);
    expect(found.slice(2)).toEqual(Array.from({ length: 120 }, (_, n) => `m${n}`));
  });

  it('are sent to the contact on the session’s channel, once', async () => {
    const twilio: FakeTwilio = await startFakeTwilio();
    try {
      const smsUrl = await connectTwilio(org, twilio);
      const number = newNumber();
      await twilio.receive({ from: number, to: '+15005550006', body: 'Hello?' }, smsUrl);
      const [session] = (await org.get('/chat/sessions?channel_type=sms')).body.items;
      await org.post(`/chat/sessions/${session.id}/handoff`, {});
      const row = await eventually('the conversation', async () => {
        const found = await conversationRow(session.id);
        return found?.opened_at !== null && found;
      });
      fake.say(row.conversation_id, 'Good day, how can I help?');
      await Promise.all([notify(session.id), notify(session.id), notify(session.id)]);
      await eventually('the SMS', () => twilio.messages.length > 0);
      await untilIdle(session.id);
      await notify(session.id);
      await untilIdle(session.id);
      expect(twilio.messages.map(({ params }) => [params.get('To'), params.get('Body')])).toEqual([
        [number, 'Good day, how can I help?'],
      ]);
      await twilio.receive({ from: number, to: '+15005550006', body: 'My order is late' }, smsUrl);
      expect(await untilHeard(row.conversation_id, 1)).toEqual(['My order is late']);
    } finally {
      await twilio.close();
    }
  });

  it('are sent to the contact in order, before what an agent writes here afterwards', async () => {
    const twilio: FakeTwilio = await startFakeTwilio();
    try {
      const smsUrl = await connectTwilio(org, twilio);
      const number = newNumber();
      await twilio.receive({ from: number, to: '+15005550006', body: 'Hello?' }, smsUrl);
      const [session] = (await org.get('/chat/sessions?channel_type=sms')).body.items;
      await org.post(`/chat/sessions/${session.id}/handoff`, {});
      const row = await eventually('the conversation', async () => {
        const found = await conversationRow(session.id);
        return found?.opened_at !== null && found;
      });
      await untilIdle(session.id);
      const texts = ['one', 'two', 'three', 'four', 'five'];
      for (const text of texts) fake.say(row.conversation_id, text);
      await notify(session.id);
      await untilReplies(session.id, texts.length);
      await say(session.id, 'six', 'agent');
      await eventually('the SMS', () => twilio.messages.length === texts.length + 1);
      expect(twilio.messages.map(({ params }) => params.get('Body'))).toEqual([...texts, 'six']);
    } finally {
      await twilio.close();
    }
  });

  it.each([
    ['a 429 that says when', tooManyRequests('1')],
    ['a 503', unavailable()],
    ['a reset', resetBefore],
  ])('are stored after %s', async (_, fault) => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.say(conversationId, 'Hello');
    fake.next('entries', fault);
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Hello']);
  });

  it('are fetched with the next signal after an outage, which the operator sees', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.say(conversationId, 'Hello');
    fake.next('entries', ...Array.from({ length: 4 }, () => unavailable()));
    await notify(id);
    const parked = await eventually('the park', async () => {
      const { pendingActivities, ...rest } = (await workflowOf(id).describe()).raw;
      return fake.requests('entries').length >= 4 && (pendingActivities ?? []).length === 0 && rest;
    });
    expect(parked.workflowExecutionInfo?.status).toBe(1);
    expect(await replies(id)).toEqual([]);
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Hello']);
    await untilIdle(id);
  });
});

describe('the contact’s messages', () => {
  it('are sent to Salesforce once, in order', async () => {
    const { id, conversationId } = await handedOver();
    const texts = Array.from({ length: 8 }, (_, n) => `message ${n}`);
    for (const text of texts) await say(id, text);
    await untilHeard(conversationId, texts.length);
    await untilIdle(id);
    expect(heard(conversationId)).toEqual(texts);
    expect((await ledger(id)).map(({ state }) => state)).toEqual(texts.map(() => 'sent'));
  });

  it('wait until the conversation is open, and are sent then', async () => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    fake.next('open', unavailable());
    await org.post(`/chat/sessions/${id}/handoff`, {});
    await eventually('the first try', () => fake.requests('open').length > 0);
    await say(id, 'quick question');
    await eventually('the message', async () => {
      const row = await conversationRow(id);
      return row !== undefined && heard(row.conversation_id).includes('quick question');
    });
    expect(fake.conversations.size).toBe(1);
  });

  it('from the widget are sent in the order of their creation, regardless of the ids chosen by the widget', async () => {
    const widget = await unverified(stack, org, { email: `${crypto.randomUUID()}@example.com` });
    const id = await widget.newSession();
    await widget.send(id, 'Anybody there?');
    await org.post(`/chat/sessions/${id}/handoff`, {});
    const row = await eventually('the conversation', async () => {
      const found = await conversationRow(id);
      return found?.opened_at !== null && found;
    });
    await untilIdle(id);
    fake.next('message', unavailable());
    for (const digit of ['f', 'c', '9', '3', '0']) {
      const { body } = await widget.send(id, digit, { uuid: crypto.randomUUID().replace(/^./, digit) });
      expect(body.success).toBe(true);
    }
    expect(await untilHeard(row.conversation_id, 5)).toEqual(['f', 'c', '9', '3', '0']);
  });

  it.each([
    ['a reset after its effect', resetAfter],
    ['a 500 after its effect', errorAfter()],
    ['a reset before its effect', resetBefore],
    ['a 429', tooManyRequests('1')],
    ['a late answer', slow(12_000)],
  ])('are sent once and in order in spite of %s', async (_, fault) => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.next('message', fault);
    await say(id, 'one');
    await say(id, 'two');
    await untilHeard(conversationId, 2);
    await untilIdle(id);
    expect(heard(conversationId)).toEqual(['one', 'two']);
    expect((await ledger(id)).map(({ state }) => state)).toEqual(['sent', 'sent']);
  });

  it('are noted in the session when Salesforce refuses them, and do not block later messages', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.next('message', salesforceRefuses(400, 'The message is too long'));
    await say(id, 'one');
    await say(id, 'two');
    expect(await untilHeard(conversationId, 1)).toEqual(['two']);
    await untilIdle(id);
    expect((await ledger(id)).map(({ state }) => state)).toEqual(['failed', 'sent']);
    expect((await events(id)).find(({ type }) => type === 'human_agent_comment')?.content).toContain('too long');
  });

  it('are not sent if they are redacted before', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.next('message', ...Array.from({ length: 4 }, () => unavailable()));
    await say(id, 'my card is 4111');
    await eventually('the tries', () => fake.requests('message').length >= 5);
    const [message] = await ledger(id);
    expect((await org.post('/redaction/message', { messageId: message?.id })).status).toBe(200);
    await say(id, 'next');
    expect(await untilHeard(conversationId, 1)).toEqual(['next']);
    await untilIdle(id);
    expect((await ledger(id)).map(({ state }) => state)).toEqual(['skipped', 'sent']);
  });

  it('are sent as the same verified end user after the token has expired', async () => {
    await connect({ ...fake.settings, ...fake.verification });
    const { id, conversationId } = await handedOver();
    fake.expireTokens();
    await say(id, 'still me');
    expect(await untilHeard(conversationId, 1)).toEqual(['still me']);
    expect(fake.conversations.get(conversationId)?.subject).toBe(`uid:${id}`);
  });

  it('continue in another conversation, in both directions, after a guest’s token has expired', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.expireTokens();
    await say(id, 'still me');
    const next = await untilContinued(conversationId);
    await eventually('the message', () => fake.heard(next.id).includes('still me'));
    await untilIdle(id);
    expect(await conversationRow(id)).toMatchObject({ conversation_id: next.id });
    fake.say(next.id, 'Welcome back');
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Welcome back']);
  });

  it('continue in one other conversation of one other guest, although the answer about it was lost', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.expireTokens();
    fake.next('open', errorAfter());
    await say(id, 'still me');
    const next = await untilContinued(conversationId);
    await eventually('the message', () => fake.heard(next.id).includes('still me'));
    await untilIdle(id);
    expect([...fake.conversations.keys()]).toEqual([conversationId, next.id]);
    expect(fake.requests('guest')).toHaveLength(2);
    expect(await conversationRow(id)).toMatchObject({ conversation_id: next.id, continues: null });
  });

  it('continue in another conversation after theirs was ended in Salesforce, and so does a later handoff', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.conversations.delete(conversationId);
    await say(id, 'Are you there?');
    const second = await untilContinued(conversationId);
    await eventually('the message', () => fake.heard(second.id).length > 0);
    await untilIdle(id);
    expect(fake.heard(second.id)).toEqual(['Are you there?']);
    expect((await ledger(id)).map(({ state }) => state)).toEqual(['sent']);
    fake.conversations.delete(second.id);
    expect((await org.post(`/chat/sessions/${id}/return-to-ai`, {})).status).toBe(200);
    expect((await org.post(`/chat/sessions/${id}/handoff`, {})).status).toBe(200);
    const third = await untilContinued(second.id);
    await eventually('the handoff', async () => (await org.get(`/chat/sessions/${id}`)).body.handoff.state === 'done');
    expect(fake.heard(third.id)).toEqual([expect.stringContaining('Handed over')]);
  });

  it('continue in another conversation only after what agents said in the one before is stored', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.say(conversationId, 'Bye, I close this chat');
    fake.next('message', salesforceRefuses(409, 'Conversation ended'));
    await say(id, 'One more question');
    const next = await untilContinued(conversationId);
    expect(await untilReplies(id, 1)).toEqual(['Bye, I close this chat']);
    await untilIdle(id);
    expect(fake.heard(next.id)).toEqual(['One more question']);
    expect(await conversationRow(id)).toMatchObject({ conversation_id: next.id, ended_id: null });
  });

  it('leave the one before readable while the next conversation cannot be opened', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.next('message', salesforceRefuses(409, 'Conversation ended'));
    fake.next('open', salesforceRefuses(400, 'No such queue'));
    await say(id, 'Anybody?');
    await eventually('the refusal', async () => (await ledger(id))[0]?.state === 'failed');
    await untilIdle(id);
    fake.say(conversationId, 'Bye');
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Bye']);
    await say(id, 'Hello?');
    const next = await untilContinued(conversationId);
    await eventually('the message', () => fake.heard(next.id).includes('Hello?'));
  });

  it('stay in their conversation although settings with a wrong address find nothing there', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    await connect({ ...fake.settings, base_url: `${fake.settings.base_url}/elsewhere` });
    await say(id, 'hello?');
    await eventually('a failure', async () => (await ledger(id))[0]?.error);
    await connect(fake.settings);
    expect(await untilHeard(conversationId, 1)).toEqual(['hello?']);
    fake.say(conversationId, 'Here I am');
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['Here I am']);
    expect(fake.conversations.size).toBe(1);
  });

  it('wait for the handoff that opens the next conversation with its attributes', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.conversations.delete(conversationId);
    expect((await org.post(`/chat/sessions/${id}/return-to-ai`, {})).status).toBe(200);
    fake.next('open', salesforceRefuses(400, 'No such queue'));
    expect((await org.post(`/chat/sessions/${id}/handoff`, { reason: 'Angry' })).status).toBe(200);
    const state = async () => (await org.get(`/chat/sessions/${id}`)).body.handoff.parts?.[0]?.state;
    await eventually('the refusal', async () => (await state()) === 'failed');
    await say(id, 'Still there?');
    await eventually('an attempt', async () => (await ledger(id))[0]?.error);
    expect(fake.conversations.size).toBe(0);
    expect((await org.post(`/chat/sessions/${id}/handoff/retry`, {})).status).toBe(200);
    const next = await untilContinued(conversationId);
    await eventually('the message', () => fake.heard(next.id).includes('Still there?'));
    expect(next.routingAttributes).toMatchObject({ reason: 'Angry' });
    expect(fake.heard(next.id)).toEqual([expect.stringContaining('Handed over'), 'Still there?']);
  });

  it('are not kept for a conversation that was settled before it was open', async () => {
    const { id } = (await org.post('/chat/sessions', {})).body;
    const session = async () => (await org.get(`/chat/sessions/${id}`)).body;
    const handoffEnd = () =>
      eventually('the end of the handoff', async () => {
        const waiting = await stack.db.selectFrom('outbox').select('id').where('subject_id', '=', id).execute();
        const { status } = await stack.temporal.workflow.getHandle(`handoff/${id}/1`).describe();
        return waiting.length === 0 && status.name !== 'RUNNING';
      });
    fake.next('open', salesforceRefuses(400, 'No such queue'));
    await org.post(`/chat/sessions/${id}/handoff`, {});
    await eventually('the refusal', async () => (await session()).handoff.parts?.[0]?.state === 'failed');
    await handoffEnd();
    await say(id, 'Anybody?');
    await eventually('the waiting message', async () => (await ledger(id)).length === 1);
    const settled = { part: 'conversation', external_id: '0Mw000000000001' };
    expect((await org.post(`/chat/sessions/${id}/handoff/settle`, settled)).status).toBe(200);
    await handoffEnd();
    await say(id, 'Hello?');
    await handoffEnd();
    expect(await ledger(id)).toMatchObject([{ state: 'skipped' }]);
    expect(await session()).toMatchObject({
      handoff: { state: 'done' },
      ticketing_system: { name: 'salesforce', external_id: settled.external_id, id_type: 'conversation_id' },
    });
    expect(fake.conversations.size).toBe(0);
  });

  it('leave a note and an error of the integration once their guest’s token has ended and a reply cannot be read', async () => {
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    fake.expireTokens();
    const reply = async (text: string) => {
      fake.say(conversationId, text);
      await notify(id);
      await untilIdle(id);
    };
    await reply('Hello?');
    const { items } = (await org.get('/integrations')).body;
    expect(items[0].last_error).toContain(id);
    await reply('Are you there?');
    const notes = (await events(id)).filter(({ type }) => type === 'human_agent_comment');
    expect(notes).toMatchObject([{ content: expect.stringContaining('guest’s token has ended') }]);
  });

  it('are answered after a guest’s token would have expired: it is renewed before, while the session is open', async () => {
    fake.extendGuests();
    fake.setLife(100);
    const [{ id, conversationId }, resolved] = [await handedOver(), await handedOver()];
    for (const one of [id, resolved.id]) await untilIdle(one);
    await org.patch(`/chat/sessions/${resolved.id}`, { status: 'closed_resolved' });
    fake.setLife(600);
    const before = fake.requests('continuation').length;
    expect(await renewExpiringTokens(stack.db)).toBe(1);
    await eventually('the renewal', () => fake.requests('continuation').length > before);
    await untilIdle(id);
    expect(await renewExpiringTokens(stack.db)).toBe(0);
    fake.say(conversationId, 'There you are');
    await notify(id);
    expect(await untilReplies(id, 1)).toEqual(['There you are']);
  });

  it('wait while Salesforce refuses the connection, and are sent once its settings are fixed', async () => {
    await connect({ ...fake.settings, ...fake.verification });
    const { id, conversationId } = await handedOver();
    await untilIdle(id);
    await connect({ ...fake.settings, ...fake.verification, auth_key_id: 'another' });
    fake.expireTokens();
    await say(id, 'hello?');
    await eventually('the tries', () => fake.requests('verified').length >= 4);
    expect(heard(conversationId)).toEqual([]);
    await connect({ ...fake.settings, ...fake.verification });
    expect(await untilHeard(conversationId, 1)).toEqual(['hello?']);
  });

  it('are the only messages sent, and only for sessions in Salesforce', async () => {
    const { id, conversationId } = await handedOver();
    await say(id, 'I have it', 'agent');
    const { id: elsewhere } = (await org.post('/chat/sessions', {})).body;
    await say(elsewhere, 'hello');
    await say(id, 'thanks');
    expect(await untilHeard(conversationId, 1)).toEqual(['thanks']);
    expect(await ledger(elsewhere)).toEqual([]);
  });
});

describe('the next conversation of a session', () => {
  it('is the same for all concurrent callers', async () => {
    const { id } = await handedOver();
    const store = createConversationStore(stack.db, stack.deps.secrets, org.id);
    const from = await store.getOrCreate(id);
    const given = await Promise.all(
      Array.from({ length: 8 }, () => store.replaceConversation(from, crypto.randomUUID())),
    );
    expect(new Set(given.map((next) => next.id)).size).toBe(1);
    expect(given[0]).toMatchObject({ isOpen: false, continues: from.id, token: undefined });
    await store.updateOpen(from);
    expect((await store.getOrCreate(id)).isOpen).toBe(false);
  });
});

describe('the token of a Salesforce conversation', () => {
  it('is the same for all concurrent callers', async () => {
    const { id } = await handedOver();
    const store = createConversationStore(stack.db, stack.deps.secrets, org.id);
    const conversation = await store.getOrCreate(id);
    const expiresAt = new Date(Date.now() + 60_000);
    const given = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.replaceToken(conversation, { token: `token ${n}`, expiresAt })),
    );
    expect(new Set(given.map(({ token }) => token)).size).toBe(1);
    expect((await store.getOrCreate(id)).token).toEqual(given[0]);
  });

  it('is not available to another org', async () => {
    const { id, conversationId } = await handedOver();
    const others = createConversationStore(stack.db, stack.deps.secrets, stack.other.id);
    expect(await others.find(conversationId)).toBeUndefined();
    await expect(others.getOrCreate(id)).rejects.toThrow(/foreign key/);
  });

  it('is stored encrypted, and appears in no workflow history', async () => {
    const { id, conversationId } = await handedOver();
    await say(id, 'hello');
    await untilHeard(conversationId, 1);
    await untilIdle(id);
    const [token] = fake.tokens();
    const row = await conversationRow(id);
    expect(row?.sealed_token).toMatch(/^v1\./);
    expect(row?.sealed_token).not.toContain(token);
    for (const workflowId of [`miaw-sync/${id}`, `handoff/${id}/1`]) {
      const history = await stack.temporal.workflow.getHandle(workflowId).fetchHistory();
      expect(JSON.stringify(history)).not.toContain(token);
    }
  });
});
