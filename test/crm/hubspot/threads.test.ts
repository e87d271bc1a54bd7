import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread, untilHistoryHas } from '../../support/crm.ts';
import { resetAfter, unavailable } from '../../support/fakes/faulty-server.ts';
import { limited } from '../../support/fakes/hubspot/server.ts';
import { EMAIL_CHANNEL, type FakeMessage, type NewMessage } from '../../support/fakes/hubspot/threads.ts';
import { assignmentOf, eventOf } from '../../support/fakes/hubspot/webhooks.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

let stack: Stack;
let crm: OrgWithHubspot;
beforeAll(async () => {
  stack = await startStack({ env: { EGRESS_ALLOW: '127.0.0.0/8' } });
  crm = await connectHubspot(stack.org);
});
afterAll(async () => {
  await crm.hubspot.close();
  await stack.close();
});

const agent: NewMessage = { createdBy: 'A-5', direction: 'OUTGOING', senders: [{ actorId: 'A-5', name: 'Bea Agent' }] };

const sessionOf = (threadId: string) => sessionOfThread(stack.org, threadId);

/** Starts a thread with a message of a customer. */
async function startThread(message: NewMessage = {}) {
  const threadId = crm.hubspot.openThread();
  const first = crm.hubspot.addMessage(threadId, { text: 'Where is my order?', ...message });
  expect(await crm.deliver(eventOf(first))).toBe(200);
  return { threadId, session: await sessionOf(threadId) };
}
const say = (sessionId: string, text: string, attachments: object[] = []) =>
  stack.org.post(`/chat/sessions/${sessionId}/send`, {
    sender: 'agent',
    agent: { id: 1, name: 'Cy' },
    message: { type: 'text', text, attachments },
  });
const listOf = (threadId: string) => new RegExp(`/threads/${threadId}/messages$`);
const posted = (threadId: string) =>
  (crm.hubspot.threads.get(threadId) ?? []).filter(({ client }) => client.clientType === 'INTEGRATION');

describe('a HubSpot conversation', () => {
  it('becomes a session with the messages of its agents and customers', async () => {
    const { threadId, session } = await startThread();
    const reply = crm.hubspot.addMessage(threadId, { ...agent, text: 'On its way.' });
    const comment = crm.hubspot.addMessage(threadId, { ...agent, type: 'COMMENT', text: 'A regular.' });
    const bot = crm.hubspot.addMessage(threadId, { ...agent, senders: [{ actorId: 'B-3' }], text: 'I am a bot.' });
    const last = crm.hubspot.addMessage(threadId, { text: 'Thank you!' });
    await crm.deliver(...[last, bot, comment, reply].map((message) => eventOf(message)));
    expect(await untilHistoryHas(stack.org, session.id, 'Thank you!')).toEqual([
      'contact: Where is my order?',
      'human_agent: On its way.',
      'human_agent_comment: A regular.',
      'contact: Thank you!',
    ]);
    expect(session).toMatchObject({
      channel: { type: 'web' },
      ticketing_system: { name: 'hubspot', id_type: 'conversation_id' },
    });
  });

  it('stores a message once, however often its event is delivered', async () => {
    const { threadId, session } = await startThread();
    const second = eventOf(crm.hubspot.addMessage(threadId, { text: 'Hello?' }));
    await Promise.all([crm.deliver(second), crm.deliver(second), crm.deliver(second, second)]);
    const third = eventOf(crm.hubspot.addMessage(threadId, { text: 'Anybody?' }));
    await crm.deliver(third);
    expect(await untilHistoryHas(stack.org, session.id, 'Anybody?')).toEqual([
      'contact: Where is my order?',
      'contact: Hello?',
      'contact: Anybody?',
    ]);
  });

  it('stores its messages in the order of their creation, even if events arrive in another order or not at all', async () => {
    const { threadId, session } = await startThread();
    const at = Date.now();
    const [lost, first, second, third] = ['Lost', 'First', 'Second', 'Third'].map((text, n) =>
      crm.hubspot.addMessage(threadId, { text, createdAt: new Date(at + n).toISOString() }),
    );
    await crm.deliver(eventOf(third as FakeMessage));
    await untilHistoryHas(stack.org, session.id, 'Third');
    await crm.deliver(eventOf(first as FakeMessage), eventOf(second as FakeMessage));
    await eventually('an empty queue', async () => {
      const queued = await stack.db.selectFrom('crm_events').select('id').where('state', '=', 'queued').execute();
      return queued.length === 0;
    });
    expect(lost).toBeDefined();
    expect(await historyOf(stack.org, session.id)).toEqual([
      'contact: Where is my order?',
      'contact: Lost',
      'contact: First',
      'contact: Second',
      'contact: Third',
    ]);
  });

  it('defers an e-mail for drafts and signatures, and then stores its final text', async () => {
    const threadId = crm.hubspot.openThread();
    const email = crm.hubspot.addMessage(threadId, {
      text: 'Draft',
      channelId: EMAIL_CHANNEL,
      createdBy: 'E-1',
      senders: [
        { actorId: 'E-1', name: 'Ann', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: 'Ann@Example.com' } },
      ],
    });
    const from = Date.now();
    await crm.deliver(eventOf(email));
    await eventually('the first look', () => crm.hubspot.requests('GET', listOf(threadId)).length === 1);
    email.text = 'Signed, Ann';
    const session = await sessionOf(threadId);
    expect(Date.now() - from).toBeGreaterThan(4_900);
    expect(await historyOf(stack.org, session.id)).toEqual(['contact: Signed, Ann']);
    expect(session).toMatchObject({ channel: { type: 'email' }, contact: { email: 'ann@example.com' } });
  });

  it('counts only the own words of an e-mail, and shows it whole', async () => {
    const threadId = crm.hubspot.openThread();
    const text =
      'Ja, bitte schicken Sie mir eine neue Lampe.\n\nOn 1 May 2026 Support wrote:\n> Do you want another zeppelin?';
    const senders = [
      { actorId: 'E-1', name: 'Ann', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: 'ann3@example.com' } },
    ];
    const email = { text, channelId: EMAIL_CHANNEL, createdBy: 'E-1', senders };
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, email)));
    const session = await sessionOf(threadId);
    expect(await historyOf(stack.org, session.id)).toEqual([`contact: ${text}`]);
    expect((await stack.org.get(`/chat/sessions/${session.id}`)).body.language).toBe('de');
    const found = async (q: string) => (await stack.org.get(`/chat/sessions/search?q=${q}`)).body.messages.length;
    expect([await found('Lampe'), await found('zeppelin')]).toEqual([1, 0]);
  });

  it('defers e-mails that arrive together only once, from their arrival', async () => {
    const threadId = crm.hubspot.openThread();
    const senders = [
      { actorId: 'E-1', name: 'Ann', deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: 'ann2@example.com' } },
    ];
    const mails = ['One', 'Two', 'Three', 'Four'].map((text) =>
      crm.hubspot.addMessage(threadId, { text, channelId: EMAIL_CHANNEL, createdBy: 'E-1', senders }),
    );
    const from = Date.now();
    await crm.deliver(...mails.map((mail) => eventOf(mail)));
    const session = await sessionOf(threadId);
    expect(await untilHistoryHas(stack.org, session.id, 'Four')).toEqual(
      ['One', 'Two', 'Three', 'Four'].map((text) => `contact: ${text}`),
    );
    await eventually('the end of all events', async () => {
      const { body } = await stack.org.get('/crm/inbound');
      return body.items.every(({ states }: { states: { queued: number } }) => states.queued === 0);
    });
    expect(Date.now() - from).toBeLessThan(9_000);
  });

  it('gets an agent’s messages from the session, once and in order, and they are not stored again', async () => {
    const { threadId, session } = await startThread();
    for (const text of ['First', 'Second <b>', 'Third']) expect((await say(session.id, text)).status).toBe(201);
    await eventually('three posts', () => posted(threadId).length === 3);
    expect(posted(threadId).map(({ text }) => text)).toEqual(['First', 'Second <b>', 'Third']);
    expect(posted(threadId)[1]?.richText).toContain('Second &lt;b&gt;');
    await crm.deliver(...posted(threadId).map((message) => eventOf(message)));
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Good.' })));
    expect(await untilHistoryHas(stack.org, session.id, 'Good.')).toEqual([
      'contact: Where is my order?',
      'human_agent: First',
      'human_agent: Second <b>',
      'human_agent: Third',
      'contact: Good.',
    ]);
  });

  it('gets a reply once, even if the answer to it was lost', async () => {
    const { threadId, session } = await startThread();
    const path = listOf(threadId);
    crm.hubspot.next('POST', path, resetAfter);
    await say(session.id, 'Once only');
    await eventually('a sent message', async () => {
      const row = await stack.db
        .selectFrom('crm_messages')
        .select('state')
        .where('session_id', '=', session.id)
        .executeTakeFirst();
      return row?.state === 'sent';
    });
    expect(posted(threadId)).toHaveLength(1);
    expect(crm.hubspot.requests('POST', path)).toHaveLength(1);
  });

  it('recognizes our own reply by its text and files while the answer to it is missing, even without an app id', async () => {
    await crm.reconnect({ app_id: undefined });
    const file = { name: 'bill.txt', base64: Buffer.from('12 EUR').toString('base64') };
    const replies: [string, object[]][] = [
      ['Said once', []],
      ['Said in\r\ntwo lines ', []],
      ['', [file]],
    ];
    await Promise.all(
      replies.map(async ([text, files]) => {
        const { threadId, session } = await startThread();
        const path = listOf(threadId);
        crm.hubspot.next('POST', path, resetAfter);
        await say(session.id, text, files);
        await eventually('a post', () => posted(threadId).length === 1);
        for (const message of posted(threadId)) message.text = message.text?.replace(/\s+/g, ' ').trim();
        crm.hubspot.next('GET', path, unavailable(), unavailable(), unavailable());
        const state = () =>
          stack.db.selectFrom('crm_messages').select('state').where('session_id', '=', session.id).executeTakeFirst();
        await eventually(
          'a round that failed',
          () => crm.hubspot.requests('GET', path).filter(({ status }) => status === 503).length === 3,
        );
        expect((await state())?.state).toBe('sending');
        await crm.deliver(...posted(threadId).map((message) => eventOf(message)));
        await eventually('a sent message', async () => (await state())?.state === 'sent');
        await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Heard.' })));
        const story = await untilHistoryHas(stack.org, session.id, 'Heard.');
        expect(story.map((line) => line.split(':')[0])).toEqual(['contact', 'human_agent', 'contact']);
        expect(posted(threadId)).toHaveLength(1);
      }),
    );
    await crm.reconnect();
  });

  it('gets an agent’s comment that quotes the link to the session, and not our own comment of a handoff', async () => {
    await crm.reconnect({ app_id: undefined });
    const { threadId, session } = await startThread();
    const link = `https://desk.example.com/chat/sessions/${session.id}`;
    const handoff: NewMessage = {
      createdBy: 'I-9',
      senders: [{ actorId: 'I-9' }],
      client: { clientType: 'INTEGRATION' },
    };
    const comments = [
      crm.hubspot.addMessage(threadId, { ...handoff, type: 'COMMENT', text: `Language: en\nConversation: ${link}` }),
      crm.hubspot.addMessage(threadId, { ...agent, type: 'COMMENT', text: `See ${link}: refund it` }),
      crm.hubspot.addMessage(threadId, { ...agent, type: 'COMMENT', text: `Conversation: ${link}` }),
      crm.hubspot.addMessage(threadId, { ...handoff, type: 'COMMENT', text: `Also in Slack: ${link}` }),
    ];
    await crm.deliver(...comments.map((comment) => eventOf(comment)));
    expect(await untilHistoryHas(stack.org, session.id, 'Slack')).toEqual([
      'contact: Where is my order?',
      `human_agent_comment: See ${link}: refund it`,
      `human_agent_comment: Conversation: ${link}`,
      `human_agent_comment: Also in Slack: ${link}`,
    ]);
    await crm.reconnect();
  });

  it('is read once HubSpot is back', async () => {
    const { threadId, session } = await startThread();
    const message = crm.hubspot.addMessage(threadId, { text: 'Through trouble' });
    const before = crm.hubspot.requests('GET', listOf(threadId)).length;
    crm.hubspot.next('GET', listOf(threadId), unavailable(), unavailable());
    await crm.deliver(eventOf(message));
    await untilHistoryHas(stack.org, session.id, 'Through trouble');
    const asked = crm.hubspot.requests('GET', listOf(threadId)).slice(before);
    expect(asked.map(({ status }) => status)).toEqual([503, 503, 200]);
  });

  it('says which limit its message waits for, and a replay reads it at once', async () => {
    const { threadId, session } = await startThread();
    const message = crm.hubspot.addMessage(threadId, { text: 'Beyond the limit' });
    crm.hubspot.next('GET', listOf(threadId), limited('DAILY'));
    await crm.deliver(eventOf(message));
    const latest = async () => {
      const [{ id }] = (await stack.org.get('/crm/inbound?limit=1')).body.items;
      return (await stack.org.get(`/crm/inbound/${id}`)).body;
    };
    const waiting = await eventually('a reason', async () => {
      const batch = await latest();
      return batch.elements[0].reason !== null && batch;
    });
    expect(waiting.elements).toMatchObject([
      { state: 'queued', reason: expect.stringContaining('DAILY'), settled_at: null },
    ]);
    const replay = `/crm/inbound/${waiting.id}/replay`;
    expect((await stack.org.post(replay, { dry_run: true })).body).toEqual({ batches: 1, queued: 0, unchanged: 1 });
    expect((await stack.org.post(replay)).body).toEqual({ batches: 1, queued: 0, unchanged: 1 });
    await untilHistoryHas(stack.org, session.id, 'Beyond the limit');
    expect((await latest()).elements).toMatchObject([{ state: 'done', reason: null }]);
  });

  it('posts a reply that waits for a limit as soon as it is woken', async () => {
    const { threadId, session } = await startThread();
    crm.hubspot.next('POST', listOf(threadId), limited('DAILY'));
    await say(session.id, 'First');
    await eventually('the refused reply', () => crm.hubspot.requests('POST', listOf(threadId)).length === 1);
    await say(session.id, 'Second');
    await eventually('both replies', () => posted(threadId).length === 2);
    expect(posted(threadId).map(({ text }) => text)).toEqual(['First', 'Second']);
  });

  it('is handed off without a new ticket when it is assigned away from the AI', async () => {
    await stack.org.patch('/org/settings', { handoff_target: 'crm' });
    const { threadId, session } = await startThread();
    await crm.deliver(assignmentOf(threadId, 'A-900'));
    await crm.deliver(assignmentOf(threadId, 'A-5'));
    const handedOff = await eventually('the handoff', async () => {
      const now = (await stack.org.get(`/chat/sessions/${session.id}`)).body;
      return now.handoff !== null && now;
    });
    expect(handedOff.handoff).toMatchObject({ reason: 'Assigned in HubSpot', state: 'done' });
    await stack.org.patch('/org/settings', { handoff_target: null });
    expect(crm.hubspot.requests('POST', '/crm/v3/objects/tickets')).toEqual([]);
  });

  it('stays with the AI if it was returned to it since it was assigned, however late that is reported', async () => {
    const { threadId, session } = await startThread();
    const assignedAt = Date.now();
    await stack.org.post(`/chat/sessions/${session.id}/handoff`, {});
    expect((await stack.org.post(`/chat/sessions/${session.id}/return-to-ai`, {})).status).toBeLessThan(300);
    await crm.deliver(assignmentOf(threadId, 'A-5', { occurredAt: assignedAt }));
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'And then?' })));
    await untilHistoryHas(stack.org, session.id, 'And then?');
    const now = async () => (await stack.org.get(`/chat/sessions/${session.id}`)).body;
    expect((await now()).handoff).toBeNull();
    await crm.deliver(assignmentOf(threadId, 'A-6'));
    await eventually('the handoff', async () => (await now()).handoff?.reason === 'Assigned in HubSpot');
  });

  it('stays with the AI in Assist Mode', async () => {
    await crm.reconnect({ assist_mode: true });
    const { threadId, session } = await startThread();
    expect(session.assist_mode).toBe(true);
    await crm.deliver(assignmentOf(threadId, 'A-5'));
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'And now?' })));
    await untilHistoryHas(stack.org, session.id, 'And now?');
    expect((await stack.org.get(`/chat/sessions/${session.id}`)).body.handoff).toBeNull();
    await crm.reconnect();
  });
});
