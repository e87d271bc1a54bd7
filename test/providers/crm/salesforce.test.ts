import { randomUUID } from 'node:crypto';
import { CrmError } from '../../../src/providers/crm/errors.ts';
import type { HandoffFacts } from '../../../src/providers/crm/port.ts';
import type { Conversation, ConversationStore } from '../../../src/providers/crm/salesforce/port.ts';
import { createSalesforce } from '../../../src/providers/crm/salesforce/salesforce.ts';
import { createEgress, type Egress } from '../../../src/providers/egress/egress.ts';
import { createIntegrationCheck } from '../../../src/providers/integration-checks.ts';
import {
  errorAfter,
  resetAfter,
  resetBefore,
  tooManyRequests,
  unavailable,
} from '../../support/fakes/faulty-server.ts';
import {
  type FakeSalesforce,
  type Said,
  salesforceRefuses,
  startFakeSalesforce,
} from '../../support/fakes/salesforce.ts';

let egress: Egress;
let fake: FakeSalesforce;
beforeAll(() => {
  egress = createEgress({ allow: ['127.0.0.0/8'] });
});
afterAll(() => egress.close());
beforeEach(async () => {
  fake = await startFakeSalesforce();
});
afterEach(() => fake.close());

const FIRST = { mayExist: false, since: new Date() };
const AGAIN = () => ({ mayExist: true, since: new Date(Date.now() - 5_000) });

/** Stores conversations like the database: on replacing an outdated token, the caller gets the stored one. */
function createStore(): ConversationStore & { of: (sessionId: string) => Conversation } {
  const rows = new Map<string, Conversation>();
  const ended: Conversation[] = [];
  const of = (sessionId: string) => rows.get(sessionId) as Conversation;
  return {
    of,
    async getOrCreate(sessionId) {
      const unopened = { sessionId, token: undefined, isOpen: false, continues: undefined };
      if (!rows.has(sessionId)) rows.set(sessionId, { ...unopened, id: randomUUID() });
      return of(sessionId);
    },
    find: async (id) => [...rows.values()].find((row) => row.id === id),
    findReadable: async (id) => [...rows.values(), ...ended].find((row) => row.id === id),
    awaitsHandoff: async () => false,
    async replaceToken({ sessionId, token: known }, token) {
      const { token: current } = of(sessionId);
      if (current !== undefined && current.token !== known?.token) return current;
      rows.set(sessionId, { ...of(sessionId), token });
      return token;
    },
    updateOpen: async ({ sessionId }) =>
      void rows.set(sessionId, { ...of(sessionId), isOpen: true, continues: undefined }),
    async replaceConversation({ id: continues, sessionId }, id) {
      const next = { id, sessionId, token: undefined, isOpen: false, continues };
      if (of(sessionId).id !== continues) return of(sessionId);
      ended.push(of(sessionId));
      rows.set(sessionId, next);
      return of(sessionId);
    },
  };
}

const facts = (more: Partial<HandoffFacts> = {}): HandoffFacts => ({
  sessionId: randomUUID(),
  ticketNumber: 7,
  handoffNumber: 1,
  hasEarlierTicket: false,
  subject: '#7 Where is my order?',
  summary: 'Ada asks for her order.',
  reason: 'Asked for a human',
  sentiment: null,
  language: 'en',
  sessionUrl: 'https://desk.example.com/chat/sessions/1',
  contact: { name: 'Ada King Lovelace', email: 'ada@example.com', phone: null },
  properties: { plan: 'pro', note: 'x'.repeat(400) },
  threadId: null,
  externalIds: {},
  ...more,
});

const connect = (more: object = {}) => {
  const store = createStore();
  return { store, salesforce: createSalesforce({ egress, store }, { ...fake.settings, ...more }) };
};
async function opened(more: object = {}) {
  const { store, salesforce } = connect(more);
  const handedOver = facts();
  const outcome = await salesforce.doPart('conversation', handedOver, FIRST);
  if (outcome.state !== 'done') throw new Error(outcome.reason);
  const { externalId: id } = outcome;
  const say = (text: string, attempt = FIRST, messageId: string = randomUUID()) =>
    salesforce.postMessage({ id: messageId, conversationId: id, text, attachments: [] }, attempt);
  return { store, salesforce, facts: handedOver, id, say };
}
const failure = async (work: Promise<unknown>): Promise<CrmError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CrmError);
  return error as CrmError;
};

describe('a handoff to Salesforce', () => {
  it('opens a conversation with routing attributes and an introduction', async () => {
    const { id, facts: given } = await opened();
    expect(fake.conversations.get(id)?.routingAttributes).toEqual({
      _firstName: 'Ada',
      _lastName: 'King Lovelace',
      _email: 'ada@example.com',
      _subject: '#7 Where is my order?',
      session_id: given.sessionId,
      ticket_number: '7',
      session_url: given.sessionUrl,
      reason: 'Asked for a human',
      language: 'en',
      plan: 'pro',
      note: 'x'.repeat(255),
    });
    expect(fake.heard(id)).toEqual([
      `Handed over: ticket #7, ${given.sessionUrl}\nReason: Asked for a human\nSummary: Ada asks for her order.`,
    ]);
  });

  it.each([
    ['open', resetAfter],
    ['open', resetBefore],
    ['open', errorAfter()],
    ['message', resetAfter],
    ['message', errorAfter()],
    ['guest', resetAfter],
    ['open', unavailable()],
  ] as const)(
    'after a fault at %s (%j) and a retry is one conversation with one introduction',
    async (operation, fault) => {
      const { salesforce } = connect();
      const handedOver = facts();
      fake.next(operation, fault);
      expect((await failure(salesforce.doPart('conversation', handedOver, FIRST))).transient).toBe(true);
      const { state } = await salesforce.doPart('conversation', handedOver, AGAIN());
      expect(state).toBe('done');
      expect(fake.conversations.size).toBe(1);
      expect(fake.heard([...fake.conversations.keys()][0] as string)).toHaveLength(1);
    },
  );

  it('starts over if its guest’s token expired before the conversation was open', async () => {
    const { salesforce, store } = connect();
    const handedOver = facts();
    fake.next('message', unavailable());
    await failure(salesforce.doPart('conversation', handedOver, FIRST));
    const { id: first } = store.of(handedOver.sessionId);
    fake.expireTokens();
    expect((await salesforce.doPart('conversation', handedOver, AGAIN())).state).toBe('done');
    const { id, isOpen } = store.of(handedOver.sessionId);
    expect(isOpen).toBe(true);
    expect(fake.conversations.get(id)?.routingAttributes).toMatchObject({ continues: first, _firstName: 'Ada' });
    expect(fake.heard(id)).toHaveLength(1);
  });

  it('changes nothing when repeated', async () => {
    const { salesforce, facts: given, id } = await opened();
    expect(await salesforce.doPart('conversation', given, FIRST)).toEqual({ state: 'done', externalId: id });
    expect(fake.requests('open')).toHaveLength(1);
  });

  it('has no other parts', async () => {
    expect((await connect().salesforce.doPart('ticket', facts(), FIRST)).state).toBe('skipped');
  });
});

describe('end users in Salesforce', () => {
  it('are guests without a key, each limited to one conversation', async () => {
    const [one, other] = [await opened(), await opened()];
    const subjects = [one, other].map(({ id }) => fake.conversations.get(id)?.subject);
    expect(new Set(subjects).size).toBe(2);
    expect(subjects.every((subject) => subject?.startsWith('guest/'))).toBe(true);
  });

  it('are verified with a key', async () => {
    const { id, facts: given } = await opened(fake.verification);
    expect(fake.conversations.get(id)?.subject).toBe(`uid:${given.sessionId}`);
    expect(fake.requests('guest')).toEqual([]);
  });

  it('continue with a new token when theirs has expired or expires soon, if they are verified', async () => {
    fake.setLife(60);
    const { id, say } = await opened(fake.verification);
    fake.setLife(3_600);
    await say('before its end');
    fake.expireTokens();
    await say('after its end');
    expect(fake.heard(id).slice(1)).toEqual(['before its end', 'after its end']);
  });

  it('continue with the continuation token until it expires, if they are guests', async () => {
    fake.setLife(60);
    const { id, say } = await opened();
    await say('soon over');
    expect(fake.requests('continuation').length).toBeGreaterThan(0);
    expect(fake.heard(id).slice(1)).toEqual(['soon over']);
  });

  it('continue in another conversation that names the first, if they are guests with an expired token', async () => {
    const { id, say, store, salesforce, facts: given } = await opened();
    fake.expireTokens();
    await say('still there?');
    const next = store.of(given.sessionId);
    expect(next).toMatchObject({ isOpen: true });
    expect(next.id).not.toBe(id);
    expect(fake.conversations.get(next.id)?.routingAttributes).toEqual({ session_id: given.sessionId, continues: id });
    expect(fake.heard(next.id)).toEqual(['still there?']);
    expect(fake.heard(id)).toHaveLength(1);
    fake.say(next.id, 'Here I am');
    expect((await salesforce.listEntries(next.id, null))?.entries.at(-1)).toMatchObject({ text: 'Here I am' });
  });

  it('can read nothing more, if they are guests with an expired token', async () => {
    const { id, salesforce } = await opened();
    fake.expireTokens();
    expect(await salesforce.listEntries(id, null)).toBeUndefined();
  });

  it('share one token, however many callers request one at once', async () => {
    const { salesforce } = connect();
    const handedOver = facts();
    await Promise.all(Array.from({ length: 5 }, () => salesforce.doPart('conversation', handedOver, FIRST)));
    const [conversation, ...others] = [...fake.conversations.values()];
    expect(others).toEqual([]);
    expect(fake.heard(conversation?.id ?? '')).toHaveLength(1);
  });

  it.each([
    ['a deployment that does not exist', { es_developer_name: 'Nope' }],
    ['a key that Salesforce does not know', { auth_key_id: 'other' }],
    ['a key that is none', { private_key: 'secret nonsense' }],
  ])('are refused with %s, and the error contains no secret', async (_, wrong) => {
    const { salesforce } = connect({ ...fake.verification, ...wrong });
    const error = await failure(salesforce.doPart('conversation', facts(), FIRST));
    expect(error).toMatchObject({ transient: true, areCredentialsRefused: true });
    expect(error.message).not.toContain('nonsense');
    expect(error.message).not.toContain('eyJ');
  });
});

describe('the connection check of Salesforce', () => {
  const check = (settings: object) =>
    createIntegrationCheck(
      egress,
      '/oauth/v3/token',
    )({ provider: 'salesforce', settings: { ...fake.settings, ...settings } });

  it('gets an end user’s token like a conversation, without starting one', async () => {
    expect(await check({})).toMatchObject({ connected: true });
    expect(await check(fake.verification)).toMatchObject({ connected: true });
    expect([fake.requests('guest').length, fake.requests('verified').length]).toEqual([1, 1]);
    expect(fake.conversations.size).toBe(0);
  });

  it('reports what is wrong with a key', async () => {
    expect(await check({ ...fake.verification, auth_key_id: 'other' })).toMatchObject({ connected: false });
    const { connected, message } = await check({ ...fake.verification, private_key: 'nonsense' });
    expect([connected, message]).toEqual([false, 'private_key is not a private RSA key in PEM form']);
  });
});

describe('a message to Salesforce', () => {
  it('contains its files as links', async () => {
    const { salesforce, id } = await opened();
    const attachments = [{ name: 'bill.pdf', url: 'https://example.com/bill' }];
    await salesforce.postMessage({ id: randomUUID(), conversationId: id, text: 'See', attachments }, FIRST);
    await salesforce.postMessage({ id: randomUUID(), conversationId: id, text: '', attachments }, FIRST);
    expect(fake.heard(id).slice(1)).toEqual([
      'See\nbill.pdf: https://example.com/bill',
      'bill.pdf: https://example.com/bill',
    ]);
  });

  it.each([
    ['a reset after its effect', resetAfter],
    ['a 500 after its effect', errorAfter()],
    ['a 503 after its effect', errorAfter(503)],
  ])('is searched for after %s and not posted again', async (_, fault) => {
    const { id, say } = await opened();
    const messageId = randomUUID();
    fake.next('message', fault);
    expect(await failure(say('once', FIRST, messageId))).toMatchObject({ transient: true, mayHaveArrived: true });
    expect(await say('once', AGAIN(), messageId)).toEqual({ externalId: messageId });
    expect(fake.heard(id).slice(1)).toEqual(['once']);
    expect(fake.requests('message')).toHaveLength(2);
  });

  it('counts as posted if it exists already', async () => {
    const { id, say } = await opened();
    const messageId = randomUUID();
    await say('once', FIRST, messageId);
    expect(await say('once', FIRST, messageId)).toEqual({ externalId: messageId });
    expect(fake.heard(id).slice(1)).toEqual(['once']);
  });

  it.each([
    ['429', tooManyRequests('7'), { transient: true, mayHaveArrived: false, retryAfterMs: 7_000 }],
    ['503', unavailable(), { transient: true, mayHaveArrived: true }],
    ['reset', resetBefore, { transient: true, mayHaveArrived: true }],
    ['400', salesforceRefuses(400, 'The message is too long'), { transient: false, areCredentialsRefused: false }],
    ['403', salesforceRefuses(403, 'No'), { transient: false, areCredentialsRefused: false }],
  ] as const)('fails on %s with the right kind of retry', async (_, fault, kind) => {
    const { say } = await opened();
    fake.next('message', fault);
    expect(await failure(say('hello'))).toMatchObject(kind);
  });

  it.each([
    ['404', salesforceRefuses(404, 'Conversation not found')],
    ['410', salesforceRefuses(410, 'Conversation ended')],
    ['409, without having it,', salesforceRefuses(409, 'Conversation ended')],
  ])('goes to another conversation if its own answers %s', async (_, fault) => {
    const { id, say, store, facts: given } = await opened();
    fake.next('message', fault);
    await say('still there?');
    const next = store.of(given.sessionId);
    expect(fake.conversations.get(next.id)?.routingAttributes).toEqual({ session_id: given.sessionId, continues: id });
    expect([fake.heard(id).slice(1), fake.heard(next.id)]).toEqual([[], ['still there?']]);
  });

  it('stays in its conversation if only a gateway answers 404', async () => {
    const { id, say } = await opened();
    fake.next('message', { answer: { status: 404, body: { message: 'no Route matched' } }, when: 'before' });
    expect(await failure(say('hello'))).toMatchObject({ transient: true });
    await say('hello again');
    expect(fake.heard(id).slice(1)).toEqual(['hello again']);
    expect(fake.conversations.size).toBe(1);
  });

  it('is refused if another conversation ends at once', async () => {
    const { say } = await opened();
    const gone = salesforceRefuses(404, 'Not found');
    fake.next('message', gone, gone);
    expect(await failure(say('hello'))).toMatchObject({ transient: false, areCredentialsRefused: false });
  });

  it('stays in its conversation while Salesforce has it and does not list it yet', async () => {
    const { id, say } = await opened();
    const messageId = randomUUID();
    fake.next('message', errorAfter(), salesforceRefuses(409, 'Message exists'));
    await failure(say('once', FIRST, messageId));
    const [entry] = fake.conversations.get(id)?.entries.splice(1) ?? [];
    expect(await failure(say('once', AGAIN(), messageId))).toMatchObject({ transient: true, mayHaveArrived: true });
    if (entry !== undefined) fake.conversations.get(id)?.entries.push(entry);
    await say('once', AGAIN(), messageId);
    expect(fake.conversations.size).toBe(1);
  });

  it.each([
    ['open', resetAfter],
    ['open', errorAfter()],
    ['guest', resetAfter],
  ] as const)('opens one other conversation, although an answer at %s was lost', async (operation, fault) => {
    const { id, salesforce, say, store, facts: given } = await opened();
    const messageId = randomUUID();
    const attributes = { session_id: given.sessionId, continues: id };
    fake.conversations.delete(id);
    fake.expireTokens();
    fake.next(operation, fault);
    await failure(say('once', FIRST, messageId));
    const { id: conversationId } = store.of(given.sessionId);
    await salesforce.postMessage({ id: messageId, conversationId, text: 'once', attachments: [] }, AGAIN());
    const { id: next } = store.of(given.sessionId);
    expect([...fake.conversations.values()]).toMatchObject([{ id: next, routingAttributes: attributes }]);
    expect(fake.heard(next)).toEqual(['once']);
  });

  it('is refused as a connection problem if a renewed token is refused too', async () => {
    const { say } = await opened(fake.verification);
    const no = salesforceRefuses(401, 'No');
    fake.next('message', no, no);
    expect(await failure(say('hello'))).toMatchObject({ transient: true, areCredentialsRefused: true });
    expect(fake.requests('verified')).toHaveLength(2);
  });

  it('is not sent to a conversation that the org does not have, or has no longer', async () => {
    const { salesforce } = connect();
    const message = { id: randomUUID(), conversationId: randomUUID(), text: 'x', attachments: [] };
    expect((await failure(salesforce.postMessage(message, FIRST))).transient).toBe(true);
    expect(fake.requests('message')).toEqual([]);
  });
});

describe('the messages of a Salesforce conversation', () => {
  /** Returns the ids of all entries from a time on, page by page. */
  async function readAll({ salesforce, id }: Awaited<ReturnType<typeof opened>>, since: Date | null = null) {
    const ids: string[] = [];
    for (let from = since, pages = 0; ; pages++) {
      expect(pages).toBeLessThan(20);
      const page = await salesforce.listEntries(id, from);
      ids.push(...(page?.entries ?? []).map((entry) => entry.id));
      if (page === undefined || page.next === null) return ids;
      from = page.next;
    }
  }

  it('are listed with author, time and text', async () => {
    const { salesforce, id } = await opened();
    const at = Date.now() + 1_000;
    const says = (text: string, more: Said) => fake.say(id, text, { at, ...more });
    const [agent] = [says('Hi\u0000 there', { name: 'Grace' }), says('I am a bot', { role: 'Chatbot', at: at + 1 })];
    says('', { payload: { entryType: 'Message', abstractMessage: { messageType: 'ChoicesMessage' } }, at: at + 2 });
    const page = await salesforce.listEntries(id, new Date(at));
    expect(page?.next).toBeNull();
    expect(page?.entries).toMatchObject([
      { id: agent, role: 'Agent', senderName: 'Grace', text: 'Hi there', at: new Date(at) },
      { role: 'Chatbot', text: 'I am a bot' },
      { role: 'Agent', text: null },
    ]);
  });

  it.each([true, false])(
    'are complete over pages, whether the page start is listed (%s) and however many share a millisecond',
    async (isStartListed) => {
      await fake.close();
      fake = await startFakeSalesforce({ isStartListed });
      const conversation = await opened();
      const from = Date.now() + 60_000;
      const said = Array.from({ length: 180 }, (_, n) =>
        fake.say(conversation.id, `m${n}`, { at: from + Math.floor(n / 30) }),
      );
      const read = await readAll(conversation, new Date(from - 1));
      expect(new Set(read)).toEqual(new Set(said));
      expect([...new Set(read)]).toEqual(said);
    },
  );

  it('are complete in spite of unreadable ones', async () => {
    const conversation = await opened();
    const from = Date.now() + 60_000;
    const said = Array.from({ length: 70 }, (_, n) => fake.say(conversation.id, `m${n}`, { at: from + n }));
    for (const entry of fake.conversations.get(conversation.id)?.entries.slice(1, 4) ?? [])
      Object.assign(entry, { sender: { subject: 'Nobody' } });
    expect([...new Set(await readAll(conversation, new Date(from - 1)))]).toEqual(said.slice(3));
  });

  it('are undefined if the conversation was deleted', async () => {
    const { salesforce, id } = await opened();
    fake.conversations.delete(id);
    expect(await salesforce.listEntries(id, null)).toBeUndefined();
  });

  it('cause a transient error if the response is not a list', async () => {
    const { salesforce, id } = await opened();
    fake.next('entries', { answer: { status: 200, body: { maintenance: true } }, when: 'before' });
    expect((await failure(salesforce.listEntries(id, null))).transient).toBe(true);
  });
});
