import { sql } from 'kysely';
import { getSessionOfMessage, lockOpenSession, openSession } from '../../../src/conversations/sessions/service.ts';
import { inTransaction } from '../../../src/db/transaction.ts';
import { addMessage } from '../../support/messages.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const newContact = async (): Promise<string> =>
  (await api.org.post('/contacts', { contact: { email: `${crypto.randomUUID()}@example.com` } })).body.id;

async function newSession() {
  const contactId = await newContact();
  const { id } = await inTransaction(api.db, (trx) => openSession(trx, api.org.id, { contactId, channel: 'whatsapp' }));
  return { id, sessionId: id, contactId, channel: 'whatsapp' as const };
}

const rowOf = (id: string) => api.db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const messagesOf = (id: string) =>
  api.db
    .selectFrom('session_events')
    .select(['id', 'sender', 'content'])
    .where('session_id', '=', id)
    .where('type', '=', 'message')
    .execute();

it('a session is opened with a contact on a channel, and found by its id', async () => {
  const session = await newSession();
  expect(await rowOf(session.id)).toMatchObject({
    org_id: api.org.id,
    contact_id: session.contactId,
    channel: 'whatsapp',
    status: 'open',
    last_message_at: null,
  });
  expect(await inTransaction(api.db, (trx) => lockOpenSession(trx, api.org.id, session))).toEqual({ id: session.id });
});

it('a session is not found by another org, by an unknown id or by a malformed id', async () => {
  const session = await newSession();
  await expect(inTransaction(api.db, (trx) => lockOpenSession(trx, api.other.id, session))).rejects.toMatchObject({
    kind: 'not_found',
  });
  for (const sessionId of [crypto.randomUUID(), "' or true --", '']) {
    await expect(
      inTransaction(api.db, (trx) => lockOpenSession(trx, api.org.id, { ...session, sessionId })),
    ).rejects.toMatchObject({
      kind: 'not_found',
      message: 'Session not found',
    });
  }
});

it('a session with another contact, on another channel or closed is refused as a conflict, with the reason', async () => {
  const session = await newSession();
  const use = (changes: object) =>
    inTransaction(api.db, (trx) => lockOpenSession(trx, api.org.id, { ...session, ...changes }));
  await expect(use({ contactId: await newContact() })).rejects.toMatchObject({
    kind: 'conflict',
    message: 'session_id: the session is with another contact',
  });
  await expect(use({ channel: 'sms' })).rejects.toMatchObject({
    kind: 'conflict',
    message: 'session_id: the session is on the channel whatsapp, not sms',
  });
  await api.db.updateTable('sessions').set({ status: 'closed_resolved' }).where('id', '=', session.id).execute();
  await expect(use({})).rejects.toMatchObject({
    kind: 'conflict',
    message: 'session_id: the session is closed_resolved',
  });
});

it('a locked open session cannot be closed before the transaction ends', async () => {
  const session = await newSession();
  const order: string[] = [];
  let closing: Promise<unknown> | undefined;
  await inTransaction(api.db, async (trx) => {
    await lockOpenSession(trx, api.org.id, session);
    closing = api.db
      .updateTable('sessions')
      .set({ status: 'closed_unresolved' })
      .where('id', '=', session.id)
      .execute()
      .then(() => order.push('closed'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('used');
  });
  await closing;
  expect(order).toEqual(['used', 'closed']);
});

it('a message is stored once, and advances the timestamps of its session', async () => {
  const session = await newSession();
  const before = await rowOf(session.id);
  const message = { id: crypto.randomUUID(), sessionId: session.id, sender: 'ai', content: 'Good day' } as const;
  await inTransaction(api.db, (trx) => addMessage(trx, api.org.id, message));
  const after = await rowOf(session.id);
  expect(after.last_message_at?.getTime()).toBeGreaterThan(before.created_at.getTime());
  expect(after.updated_at).toEqual(after.last_message_at);

  await inTransaction(api.db, (trx) => addMessage(trx, api.org.id, { ...message, content: 'Again' }));
  expect(await rowOf(session.id)).toEqual(after);
  expect(await messagesOf(session.id)).toEqual([{ id: message.id, sender: 'ai', content: 'Good day' }]);
});

it('a slow transaction does not set the timestamps of a session back', async () => {
  const session = await newSession();
  const add = (db: typeof api.db, content: string) =>
    inTransaction(db, (trx) =>
      addMessage(trx, api.org.id, { id: crypto.randomUUID(), sessionId: session.id, sender: 'system', content }),
    );
  await inTransaction(api.db, async (slow) => {
    await slow.selectFrom('sessions').select('id').where('org_id', '=', api.org.id).execute();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await add(api.db, 'fast');
    await add(slow, 'slow');
  });
  const { created_at: latest } = await api.db
    .selectFrom('session_events')
    .select('created_at')
    .where('content', '=', 'fast')
    .executeTakeFirstOrThrow();
  expect(await rowOf(session.id)).toMatchObject({ last_message_at: latest, updated_at: latest });
});

it('the session of a message is found only by its own org', async () => {
  const session = await newSession();
  const id = crypto.randomUUID();
  await inTransaction(api.db, (trx) =>
    addMessage(trx, api.org.id, { id, sessionId: session.id, sender: 'contact', content: 'Hello' }),
  );
  expect(await getSessionOfMessage(api.db, api.org.id, id)).toEqual({ id: session.id });
  await expect(getSessionOfMessage(api.db, api.other.id, id)).rejects.toMatchObject({ kind: 'not_found' });
  await expect(getSessionOfMessage(api.db, api.org.id, crypto.randomUUID())).rejects.toMatchObject({
    kind: 'not_found',
  });
});

it('a session cannot refer to a contact of another org, nor a message to a session of another org', async () => {
  const session = await newSession();
  const message = { id: crypto.randomUUID(), sessionId: session.id, sender: 'contact', content: 'Hello' } as const;
  await expect(inTransaction(api.db, (trx) => openSession(trx, api.other.id, session))).rejects.toThrow('foreign key');
  await expect(inTransaction(api.db, (trx) => addMessage(trx, api.other.id, message))).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect(await messagesOf(session.id)).toEqual([]);
  expect(await messagesOf(session.id)).toEqual([]);
});

it('a session outlives its contact', async () => {
  const session = await newSession();
  expect((await api.org.delete(`/contacts/${session.contactId}`)).status).toBe(200);
  expect(await rowOf(session.id)).toMatchObject({ org_id: api.org.id, contact_id: null, status: 'open' });
});

it('a message that cannot be stored is answered with an error, and nothing of it is announced', async () => {
  const { id, contactId } = await newSession();
  await sql`
    create function refuse_text() returns trigger language plpgsql as $$ begin raise exception 'the disk is full'; end $$;
    create trigger refuse_text before insert on session_events for each row when (new.content = 'never stored') execute function refuse_text()
  `.execute(api.db);
  const say = (text: string) =>
    api.org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text } });
  expect((await say('never stored')).status).toBe(500);
  expect(await messagesOf(id)).toEqual([]);
  const announced = () =>
    api.db.selectFrom('outbox').select('type').where('subject_id', 'in', [id, contactId]).orderBy('id').execute();
  expect((await announced()).map(({ type }) => type)).not.toContain('message-created');
  expect((await say('stored')).status).toBe(201);
  expect((await messagesOf(id)).map(({ content }) => content)).toEqual(['stored']);
  expect((await announced()).map(({ type }) => type)).toEqual(
    expect.arrayContaining(['message-created', 'contact-replied']),
  );
});
