import { createMailTokens, replyAddress } from '../../../src/deliveries/inbound/mail-tokens.ts';
import {
  connectMeta,
  connectTwilio,
  createSequence,
  deliveriesOf,
  FAKES_ALLOWED,
  newNumber,
  untilSent,
  whatsAppStep,
} from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeTwilio, refusesWith, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { mailOf } from '../../support/mails.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { handOver } from '../../support/smtp.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const DOMAIN = 'in.acme.example';

let stack: Stack;
let twilio: FakeTwilio;
let meta: FakeMeta;
let org: TestOrg;
let smsUrl: string;
beforeAll(async () => {
  twilio = await startFakeTwilio();
  meta = await startFakeMeta();
  const receiver = { HOST: '127.0.0.1', INBOUND_DOMAIN: DOMAIN, INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
  stack = await startStack({ env: { ...FAKES_ALLOWED, ...receiver } });
});
afterAll(async () => {
  await stack.close();
  await twilio.close();
  await meta.close();
});
beforeEach(async () => {
  org = await stack.createOrg();
  smsUrl = await connectTwilio(org, twilio);
});

const newContact = async (contact: object): Promise<string> => (await org.post('/contacts', { contact })).body.id;

/** Opens a session of a contact in which they have written. */
async function newSession(contact_id: string, type: string): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { contact_id, channel: { type } })).body;
  await org.post(`/chat/sessions/${id}/send`, { sender: 'contact', message: { type: 'text', text: 'Hello' } });
  return id;
}

const sessionOf = async (id: string) => (await org.get(`/chat/sessions/${id}`)).body;
const historyOf = async (id: string) => (await org.get(`/chat/sessions/${id}/history`)).body.items;
const sequenceMessagesOf = async (id: string) =>
  (await historyOf(id)).filter(({ event }: { event: { type: string } }) => event.type === 'sequence_message');
const textsOf = async (id: string): Promise<string[]> =>
  (await historyOf(id)).flatMap(({ event }: { event: { content?: { text: string } } }) => event.content?.text ?? []);
const enrollById = (sequenceId: string, ...ids: string[]) =>
  org.post(`/sequences/${sequenceId}/contacts`, { contacts: ids.map((id) => ({ id })) });

/** Sends a step to a contact and returns its delivery. */
async function send(contactId: string, step: object) {
  const sequenceId = await createSequence(org, [step]);
  await enrollById(sequenceId, contactId);
  return { sequenceId, delivery: await untilSent(org, sequenceId, 'accepted') };
}

describe('a message of a sequence', () => {
  it('stands in the contact’s session on the channel, with the id of its delivery, and nobody has replied with it', async () => {
    const contactId = await newContact({ phone: newNumber() });
    const id = await newSession(contactId, 'sms');
    const other = await newSession(contactId, 'web');
    const before = await sessionOf(id);
    const { sequenceId, delivery } = await send(contactId, smsStep('Our summer offer'));
    expect(await sequenceMessagesOf(id)).toEqual([
      {
        id: delivery.id,
        created_at: expect.any(String),
        actor: { kind: 'system', id: null, name: null },
        event: expect.objectContaining({
          type: 'sequence_message',
          sequence_id: sequenceId,
          content: { type: 'text', text: 'Our summer offer' },
        }),
      },
    ]);
    expect(await sequenceMessagesOf(other)).toEqual([]);
    const { last_message_at, waiting_on } = await sessionOf(id);
    expect({ last_message_at, waiting_on }).toEqual({
      last_message_at: before.last_message_at,
      waiting_on: 'human_agents',
    });
    expect(JSON.stringify((await org.get('/chat/sessions/search?q=summer')).body)).toContain(id);
  });

  it('stands nowhere without such a session, and a reply opens one', async () => {
    const phone = newNumber();
    const contactId = await newContact({ phone });
    await newSession(contactId, 'web');
    await send(contactId, smsStep('Our offer'));
    const sessions = async () => (await org.get('/chat/sessions?channel_type=sms')).body.items;
    expect(await sessions()).toEqual([]);
    expect(await twilio.receive({ from: phone, to: '+15005550006', body: 'Yes' }, smsUrl)).toBe(200);
    const [opened] = await sessions();
    expect(await textsOf(opened.id)).toEqual(['Yes']);
  });

  it('stands in the open session, also if a newer one is closed, and a reply continues that', async () => {
    const phone = newNumber();
    const contactId = await newContact({ phone });
    const open = await newSession(contactId, 'sms');
    const closed = await newSession(contactId, 'sms');
    await org.patch(`/chat/sessions/${closed}`, { status: 'closed_resolved' });
    await send(contactId, smsStep('Our offer'));
    await twilio.receive({ from: phone, to: '+15005550006', body: 'Yes please' }, smsUrl);
    expect(await textsOf(open)).toEqual(['Hello', 'Our offer', 'Yes please']);
    expect((await sessionOf(closed)).status).toBe('closed_resolved');
  });

  it('stands in the newest of closed sessions, and a reply reopens it', async () => {
    const phone = newNumber();
    const contactId = await newContact({ phone });
    const older = await newSession(contactId, 'sms');
    const newer = await newSession(contactId, 'sms');
    for (const id of [older, newer]) await org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });
    await send(contactId, smsStep('Our offer'));
    expect([await sequenceMessagesOf(older), await sequenceMessagesOf(newer)]).toMatchObject([[], [{}]]);
    expect((await sessionOf(newer)).status).toBe('closed_resolved');
    await twilio.receive({ from: phone, to: '+15005550006', body: 'Yes' }, smsUrl);
    expect((await sessionOf(newer)).status).toBe('open');
  });

  it('has an e-mail’s subject and text, and a reply to it goes to its session, not to a newer one', async () => {
    const email = 'ann@reply.example';
    const contactId = await newContact({ email, name: 'Ann' });
    const id = await newSession(contactId, 'email');
    const step = emailStep('News', 0, { email_body: '<p>Dear {{contact.name}},</p><p>we have <b>news</b>.</p>' });
    const { delivery } = await send(contactId, step);
    const [message] = await sequenceMessagesOf(id);
    expect(message.event.content.text).toMatch(/^News\n\nDear Ann,\s+we have news\.$/);
    const newer = await newSession(contactId, 'email');
    const token = createMailTokens(stack.config.signingSecrets).tokenOf({ orgId: org.id, deliveryId: delivery.id });
    const to = replyAddress(token, DOMAIN);
    await handOver(stack.inboundPort, { from: email, to, raw: mailOf({ From: email, To: to }, 'Tell me more') });
    await eventually('the reply', async () => (await textsOf(id)).length === 3);
    expect((await textsOf(id)).at(-1)).toContain('Tell me more');
    expect(await textsOf(newer)).toEqual(['Hello']);
  });

  it('names a WhatsApp template with its values', async () => {
    await connectMeta(org, meta);
    const contactId = await newContact({ phone: newNumber(), name: 'Ann' });
    const id = await newSession(contactId, 'whatsapp');
    const parameters = {
      body: { type: 'body', parameters: [{ type: 'text', text: { type: 'CONSTANT', value: 'Monday' } }] },
    };
    await enrollById(await createSequence(org, [whatsAppStep('reminder', parameters)]), contactId);
    const message = await eventually('the message', async () => (await sequenceMessagesOf(id))[0]);
    expect(message.event.content.text).toBe('Template reminder: Monday');
  });

  it('stands there once, however often the send is tried', async () => {
    const contactId = await newContact({ phone: newNumber() });
    const id = await newSession(contactId, 'sms');
    twilio.next(refusesWith(20429, 'Too Many Requests', 429));
    await send(contactId, smsStep('Our offer'));
    expect(await sequenceMessagesOf(id)).toHaveLength(1);
  });

  it('is removed by a redaction, in the session and in the ledger', async () => {
    const contactId = await newContact({ phone: newNumber() });
    const id = await newSession(contactId, 'sms');
    const { sequenceId, delivery } = await send(contactId, smsStep('The secret offer'));
    expect(await org.post('/redaction/message', { messageId: delivery.id })).toMatchObject({
      status: 200,
      body: { affectedCount: 1 },
    });
    expect(await sequenceMessagesOf(id)).toMatchObject([{ redacted: true, event: { content: { text: null } } }]);
    const rows = await stack.db.selectFrom('deliveries').selectAll().where('sequence_id', '=', sequenceId).execute();
    expect(JSON.stringify(rows)).not.toContain('secret offer');
  });

  it('reaches the sessions of all contacts of a batch', async () => {
    const contacts = await Promise.all(Array.from({ length: 12 }, () => newContact({ phone: newNumber() })));
    const sessions = await Promise.all(contacts.map((contact) => newSession(contact, 'sms')));
    const sequenceId = await createSequence(org, [smsStep('For all')]);
    await enrollById(sequenceId, ...contacts);
    await eventually('all sends', async () => {
      const sent = await deliveriesOf(org, sequenceId);
      return sent.filter(({ status }: { status: string }) => status === 'accepted').length === contacts.length;
    });
    const messages = await Promise.all(sessions.map(sequenceMessagesOf));
    expect(messages.map((found) => found.length)).toEqual(contacts.map(() => 1));
    const foreign = await stack.other.get(`/chat/sessions/${sessions[0]}/history`);
    expect(foreign.status).toBe(404);
  });
});
