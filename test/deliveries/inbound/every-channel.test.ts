import { connectMeta, connectTwilio, FAKES_ALLOWED, newNumber } from '../../support/channels.ts';
import { type FakeMeta, startFakeMeta } from '../../support/fakes/meta.ts';
import { type FakeTwilio, startFakeTwilio } from '../../support/fakes/twilio.ts';
import { mailOf } from '../../support/mails.ts';
import { handOver } from '../../support/smtp.ts';
import type { TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const INBOX = 'help@in.acme.example';

interface Person {
  email: string;
  phone: string;
}

describe.each(['sms', 'whatsapp', 'email'] as const)('a message by %s', (channel) => {
  let stack: Stack;
  let twilio: FakeTwilio;
  let meta: FakeMeta;
  let org: TestOrg;
  let person: Person;
  let urls: { sms: string; whatsapp: string };
  beforeAll(async () => {
    twilio = await startFakeTwilio();
    meta = await startFakeMeta();
    const inbound = { HOST: '127.0.0.1', INBOUND_DOMAIN: 'in.acme.example', INBOUND_SMTP_PORT: '0' };
    stack = await startStack({ env: { ...FAKES_ALLOWED, ...inbound, DEVELOPMENT: 'true' } });
    org = await stack.createOrg();
    urls = { sms: await connectTwilio(org, twilio), whatsapp: await connectMeta(org, meta) };
    await org.put('/email/inboxes', { address: INBOX, is_default_sender: true });
  });
  afterAll(async () => {
    await stack.close();
    await twilio.close();
    await meta.close();
  });
  beforeEach(() => {
    person = { email: `${crypto.randomUUID()}@example.com`, phone: newNumber() };
  });

  const address = () => (channel === 'email' ? person.email : person.phone);
  const receive = (text: string) => {
    if (channel === 'sms') return twilio.receive({ from: person.phone, to: '+15005550006', body: text }, urls.sms);
    if (channel === 'whatsapp') return meta.receive(urls.whatsapp, { from: person.phone, text });
    const raw = mailOf({ From: person.email, To: INBOX, Subject: 'Help' }, text);
    return handOver(stack.inboundPort, { from: person.email, to: INBOX, raw });
  };
  const sessions = async () => {
    const { items } = (await org.get('/chat/sessions?limit=100')).body;
    return items.filter(
      ({ contact }: { contact: { email: string | null; phone_number: string | null } | null }) =>
        contact?.email === person.email || contact?.phone_number === person.phone,
    );
  };
  const untilSession = () => eventually('the session', async () => (await sessions())[0]);
  const texts = async (id: string): Promise<(string | null)[]> =>
    (await org.get(`/chat/sessions/${id}/history`)).body.items.flatMap(
      ({ event }: { event: { type: string; content?: { text: string | null } } }) =>
        event.type === 'message' ? [event.content?.text?.trim() ?? null] : [],
    );
  const know = () => org.post('/contacts', { contact: { email: person.email, phone: person.phone } });

  it('from an unknown sender makes a contact with its address, and a session that waits for people', async () => {
    await receive('Hello?');
    const { contact, ...session } = await untilSession();
    expect(channel === 'email' ? contact.email : contact.phone_number).toBe(address());
    expect(session).toMatchObject({ channel: { type: channel }, status: 'open', waiting_on: 'human_agents' });
  });

  it('from a blocked contact is stored, and nobody waits for an answer', async () => {
    await know();
    await org.post('/blocklist/contacts', { email: person.email });
    await receive('Buy this');
    const { id, waiting_on } = await untilSession();
    expect([await texts(id), waiting_on]).toEqual([['Buy this'], null]);
  });

  it('is not answered at a suppressed address, but by e-mail, where an answer is transactional', async () => {
    await know();
    await receive('Hello?');
    const { id } = await untilSession();
    expect((await org.post('/suppressions', { channel, address: address() })).status).toBeLessThan(300);
    await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text: 'Hi' } });
    const delivery = await eventually('the end of the delivery', async () => {
      const [last] = (await org.get(`/deliveries?channel=${channel}&limit=100`)).body.items.slice(-1);
      return last?.to === address() && !['queued', 'sending'].includes(last.status) && last;
    });
    const end = channel === 'email' ? { status: 'accepted' } : { status: 'suppressed', reason: 'manual' };
    expect(delivery).toMatchObject({ to: address(), ...end });
  });

  it('is redacted in the history and as it was received', async () => {
    await receive('my card is 4111');
    const { id } = await untilSession();
    const [{ id: messageId }] = (await org.get(`/chat/sessions/${id}/history`)).body.items;
    expect((await org.post('/redaction/message', { messageId })).body).toMatchObject({ affectedCount: 1 });
    const row = stack.db.selectFrom('inbound_messages').select('body').where('id', '=', messageId);
    expect([await texts(id), await row.execute()]).toEqual([[null], [{ body: '' }]]);
  });
});
