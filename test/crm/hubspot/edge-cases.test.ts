import { connectHubspot, historyOf, type OrgWithHubspot, sessionOfThread, untilHistoryHas } from '../../support/crm.ts';
import { unavailable } from '../../support/fakes/faulty-server.ts';
import { refuses } from '../../support/fakes/hubspot/server.ts';
import type { NewMessage } from '../../support/fakes/hubspot/threads.ts';
import { eventOf } from '../../support/fakes/hubspot/webhooks.ts';
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

const chat = (name: string, email: string): NewMessage => ({
  senders: [{ actorId: 'V-51', name, deliveryIdentifier: { type: 'HS_EMAIL_ADDRESS', value: email } }],
});

const sessionOf = (threadId: string) => sessionOfThread(stack.org, threadId);

async function startThread(message: NewMessage = {}) {
  const threadId = crm.hubspot.openThread();
  const first = crm.hubspot.addMessage(threadId, { text: 'Hello', ...message });
  expect(await crm.deliver(eventOf(first))).toBe(200);
  return { threadId, session: await sessionOf(threadId) };
}
const say = (sessionId: string, text: string, attachments: object[] = []) =>
  stack.org.post(`/chat/sessions/${sessionId}/send`, {
    sender: 'agent',
    message: { type: 'text', text, attachments },
  });
const posted = (threadId: string) =>
  (crm.hubspot.threads.get(threadId) ?? []).filter(({ client }) => client.clientType === 'INTEGRATION');
const messageStates = async (sessionId: string) =>
  (
    await stack.db.selectFrom('crm_messages').select(['state', 'error']).where('session_id', '=', sessionId).execute()
  ).map(({ state }) => state);

describe('a HubSpot conversation in edge cases', () => {
  it('continues after texts and names that no column can store', async () => {
    const { threadId, session } = await startThread({
      text: 'a\0b \ud800 c 😀',
      senders: [{ actorId: 'V-1', name: 'A\0nn\udfff' }],
    });
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Next' })));
    expect(await untilHistoryHas(stack.org, session.id, 'Next')).toEqual(['contact: ab \ufffd c 😀', 'contact: Next']);
  });

  it('accepts ids that are numbers', async () => {
    const { threadId, session } = await startThread();
    const message = crm.hubspot.addMessage(threadId, {
      text: 'By numbers',
      channelId: 1000 as never,
      channelAccountId: 77 as never,
    });
    Object.assign(message, { id: 987_654_321 });
    await crm.deliver(eventOf(message));
    expect(await untilHistoryHas(stack.org, session.id, 'By numbers')).toHaveLength(2);
    await say(session.id, 'An answer');
    await eventually('a post', () => posted(threadId).length === 1);
    expect(posted(threadId)[0]).toMatchObject({ channelId: '1000', channelAccountId: '77' });
  });

  it('shows the files of a message without text', async () => {
    const { session } = await startThread({
      text: '',
      attachments: [{ type: 'FILE', fileId: '9', name: 'photo.png', url: 'https://files.example.com/photo.png' }],
    });
    expect(await untilHistoryHas(stack.org, session.id, 'photo.png')).toEqual([
      'contact: photo.png: https://files.example.com/photo.png',
    ]);
  });

  it('is not blocked by a malformed element in its list of messages', async () => {
    const { threadId, session } = await startThread();
    Object.assign(crm.hubspot.addMessage(threadId), { createdAt: 'never', type: 7 });
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Behind it' })));
    expect(await untilHistoryHas(stack.org, session.id, 'Behind it')).toEqual(['contact: Hello', 'contact: Behind it']);
  });

  it('stores a very long message completely', async () => {
    const text = `${'word '.repeat(60_000)}end`;
    const { session } = await startThread({
      text: 'word…',
      wholeText: text,
      truncationStatus: 'TRUNCATED_TO_MOST_RECENT_REPLY',
    });
    expect(await untilHistoryHas(stack.org, session.id, 'word end')).toEqual([`contact: ${text}`]);
  });

  it('finds the contact by e-mail address in any letter case, and none for a malformed address', async () => {
    const email = `Ann.${Date.now()}@Example.COM`;
    await stack.org.post('/contacts', { contact: { email, name: 'Known' } });
    const known = await startThread(chat('Ann', email));
    expect(known.session.contact).toMatchObject({ email: email.toLowerCase(), name: 'Known' });
    for (const odd of ['not an address', `${'x'.repeat(400)}@example.com`, 'a\0b@example.com\ud800']) {
      const { session } = await startThread(chat('Odd', odd));
      expect(session.contact).toBeNull();
    }
  });

  it('without a named sender gets the contact known to HubSpot, as far as HubSpot knows it', async () => {
    const [email, phone] = [`chat.${Date.now()}@example.com`, '+442079460958'];
    const { id } = crm.hubspot.addContact({ email: email.toUpperCase(), firstname: 'Ann', lastname: 'Chat', phone });
    const open = async (contactId?: string) => {
      const threadId = crm.hubspot.openThread(contactId);
      await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Hello' })));
      return (await sessionOf(threadId)).contact;
    };
    expect(await open(id)).toMatchObject({ email, name: 'Ann Chat', phone_number: phone });
    expect(await open()).toBeNull();
    expect(await open(crm.hubspot.addContact({ phone: '(020) 7946' }).id)).toBeNull();
    expect(await open(crm.hubspot.addContact({ phone }).id)).toMatchObject({ email });
    const other = crm.hubspot.addContact({ email: `other.${email}`, phone, firstname: 'Bo' });
    expect(await open(other.id)).toMatchObject({ email: `other.${email}`, name: 'Bo', phone_number: null });
    crm.hubspot.next('GET', `/crm/v3/objects/contacts/${id}`, unavailable());
    expect(await open(id)).toBeNull();
    expect(await open('999999999')).toBeNull();
  });

  it('with a blocked contact is stored and notifies nobody', async () => {
    const email = `blocked.${Date.now()}@example.com`;
    expect((await stack.org.post('/blocklist/contacts', { email, reason: 'Spam' })).status).toBeLessThan(300);
    const { session } = await startThread(chat('Bo', email));
    expect(await historyOf(stack.org, session.id)).toEqual(['contact: Hello']);
  });

  it('continues after its contact is deleted', async () => {
    const email = `gone.${Date.now()}@example.com`;
    const { threadId, session } = await startThread(chat('Gone', email));
    expect((await stack.org.delete(`/contacts/${session.contact.id}`)).status).toBe(200);
    await say(session.id, 'Anybody?');
    await eventually('a post', () => posted(threadId).length === 1);
    await crm.deliver(eventOf(crm.hubspot.addMessage(threadId, { text: 'Here', ...chat('Gone', email) })));
    expect(await untilHistoryHas(stack.org, session.id, 'Here')).toEqual([
      'contact: Hello',
      'human_agent: Anybody?',
      'contact: Here',
    ]);
  });

  it('gets a reply that is only a file, and the session notes a reply refused by a closed thread', async () => {
    const { threadId, session } = await startThread();
    const file = { name: 'bill.txt', base64: Buffer.from('12 EUR').toString('base64') };
    expect((await say(session.id, '', [file])).status).toBe(201);
    await eventually('a post', () => posted(threadId).length === 1);
    expect(posted(threadId)[0]?.text).toMatch(/^bill\.txt: http/);
    crm.hubspot.next('POST', new RegExp(`/threads/${threadId}/messages$`), refuses(400, 'The thread is closed'));
    await say(session.id, 'Too late');
    await untilHistoryHas(stack.org, session.id, 'The thread is closed');
    await say(session.id, 'Open again');
    await eventually('a post', () => posted(threadId).length === 2);
    expect(await messageStates(session.id)).toEqual(expect.arrayContaining(['sent', 'failed', 'sent']));
  });

  it('accepts an id that is not a number, and events with any time', async () => {
    const threadId = 'th~1:a';
    crm.hubspot.threads.set(threadId, []);
    const first = crm.hubspot.addMessage(threadId, { text: 'Odd id', createdAt: '2999-01-01T00:00:00.000Z' });
    await crm.deliver(eventOf(first, { objectId: threadId, occurredAt: 1 }));
    const session = await sessionOf(threadId);
    const unheard = crm.hubspot.addMessage(threadId, { text: 'Unheard' });
    const soon = new Date(Date.now() + 5).toISOString();
    const later = crm.hubspot.addMessage(threadId, { text: 'Later', createdAt: soon });
    expect(unheard).toBeDefined();
    await crm.deliver(eventOf(later, { objectId: threadId, occurredAt: Number.MAX_SAFE_INTEGER }));
    expect(await untilHistoryHas(stack.org, session.id, 'Later')).toEqual([
      'contact: Odd id',
      'contact: Unheard',
      'contact: Later',
    ]);
    await say(session.id, 'Reply');
    await eventually('a post', () => posted(threadId).length === 1);
  });
});
