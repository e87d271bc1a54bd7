import { receiveInboundEmail, storeInboundEmail } from '../../../src/deliveries/inbound/emails/service.ts';
import {
  bounceAddress,
  createMailTokens,
  type MailboxKind,
  replyAddress,
} from '../../../src/deliveries/inbound/mail-tokens.ts';
import { createMailReader, MailReadTimeout } from '../../../src/deliveries/mail/mail-reader.ts';
import { mailInMemory } from '../../../src/deliveries/mail/raw-mail.ts';
import { createMailAuthenticator } from '../../../src/providers/email/authenticator.ts';
import { mailOf } from '../../support/mails.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const AUTHENTICATION = { authenticator: createMailAuthenticator({ servers: [] }), trustedAuthservIds: [] };

const DOMAIN = 'in.acme.example';
const MAX_TIMEOUTS = 5;
/** Takes much longer to read than the hurried reader has. */
const LONG_BODY = '=41'.repeat(200_000);

describe('an e-mail that takes too long to read', () => {
  let api: TestApi;
  const hurried = createMailReader(1);
  const patient = createMailReader();
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(async () => {
    await Promise.all([hurried.close(), patient.close()]);
    await api.close();
  });

  /** Creates a contact with a delivery by e-mail. Returns both ids. */
  const contactWithDelivery = async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const { id: contactId } = (await api.org.post('/contacts', { contact: { email } })).body;
    const { data } = (
      await api.org.post('/email', {
        from_email: 'hello@acme.example',
        recipients: [{ to_email: email, email_subject: 'Hi', email_body: 'Hello' }],
      })
    ).body;
    return { contactId: contactId as string, deliveryId: data[0].id as string };
  };

  /** Creates a session by e-mail with an agent's reply. Returns the ids of the session and the reply's delivery. */
  const sessionWithReply = async () => {
    const { contactId } = await contactWithDelivery();
    const session = { contact_id: contactId, channel: { type: 'email' } };
    const sessionId: string = (await api.org.post('/chat/sessions', session)).body.id;
    const message = { type: 'text', text: 'A reply' };
    expect((await api.org.post(`/chat/sessions/${sessionId}/send`, { sender: 'agent', message })).status).toBe(201);
    const [{ id: deliveryId }] = (await api.org.get(`/chat/sessions/${sessionId}/history`)).body.items;
    return { sessionId, deliveryId: deliveryId as string };
  };

  /** Stores an e-mail to an address of the delivery. Returns a function that processes it. */
  const received = async (deliveryId: string, kind: MailboxKind = 'reply', mailFrom = 'ann@example.com') => {
    const { org, db, config } = api;
    const tokens = createMailTokens(config.signingSecrets);
    const token = tokens.tokenOf({ orgId: org.id, deliveryId });
    const address = (kind === 'reply' ? replyAddress : bounceAddress)(token, DOMAIN);
    const raw = mailInMemory(Buffer.from(mailOf({ 'Content-Transfer-Encoding': 'quoted-printable' }, LONG_BODY)));
    const mailbox = { orgId: org.id, deliveryId, kind };
    await storeInboundEmail(db, { mailFrom, recipients: [{ address, mailbox }], raw });
    const { id } = await db
      .selectFrom('inbound_emails')
      .select('id')
      .where('delivery_id', '=', deliveryId)
      .executeTakeFirstOrThrow();
    const { storage } = api.deps;
    return (mailReader: typeof hurried) =>
      receiveInboundEmail(
        { db, tokens, mailReader, storage, ...AUTHENTICATION },
        { orgId: org.id, inboundEmailId: id, attempt: 1 },
      );
  };
  const timeOut = async (process: Awaited<ReturnType<typeof received>>, times: number) => {
    for (let n = 0; n < times; n++) await expect(process(hurried)).rejects.toBeInstanceOf(MailReadTimeout);
  };
  const historyOf = async (sessionId: string) =>
    (await api.org.get(`/chat/sessions/${sessionId}/history`)).body.items.map(
      ({ event }: { event: { type: string; content?: { text: string } } }) => [event.type, event.content?.text],
    );
  const note = ['human_agent_comment', expect.stringContaining('could not be read')];

  it('is read again, and is a reply once it was read', async () => {
    const { sessionId, deliveryId } = await sessionWithReply();
    const process = await received(deliveryId);
    await timeOut(process, MAX_TIMEOUTS - 1);
    expect(await process(patient)).toBe('reply');
    expect(await historyOf(sessionId)).toEqual([
      ['message', 'A reply'],
      ['message', expect.stringMatching(/^A+…$/)],
    ]);
  });

  it('is unreadable after five times, and a note in its session, which is open again, says so once', async () => {
    const { sessionId, deliveryId } = await sessionWithReply();
    await api.org.patch(`/chat/sessions/${sessionId}`, { status: 'closed_resolved' });
    const process = await received(deliveryId);
    await timeOut(process, MAX_TIMEOUTS - 1);
    expect((await historyOf(sessionId)).map(([type]: string[]) => type)).toEqual(['message', 'status_changed']);
    expect(await process(hurried)).toBe('unreadable');
    expect(await process(patient)).toBe('unreadable');
    expect((await historyOf(sessionId)).slice(2)).toEqual([note, ['status_changed', undefined]]);
    expect((await api.org.get(`/chat/sessions/${sessionId}`)).body.status).toBe('open');
  });

  it('opens a session with the note for a contact without one', async () => {
    const { contactId, deliveryId } = await contactWithDelivery();
    const process = await received(deliveryId);
    await timeOut(process, MAX_TIMEOUTS - 1);
    expect(await process(hurried)).toBe('unreadable');
    const { data } = (await api.org.post('/chat/sessions/filter', { filters: { contact_ids: [contactId] } })).body;
    expect(data).toMatchObject([{ status: 'open', channel: { type: 'email' } }]);
    expect(await historyOf(data[0].id)).toEqual([note]);
  });

  it.each([
    ['bounce', 'ann@example.com'],
    ['reply', ''],
  ] as const)('is not noted if it may be a bounce: to the %s address, from <%s>', async (kind, mailFrom) => {
    const { sessionId, deliveryId } = await sessionWithReply();
    const process = await received(deliveryId, kind, mailFrom);
    await timeOut(process, MAX_TIMEOUTS - 1);
    expect(await process(hurried)).toBe('unreadable');
    expect(await historyOf(sessionId)).toEqual([['message', 'A reply']]);
  });
});
