import { createActionRunner, type RunAction } from '../../automations/action-runner.ts';
import { callStep, newNumber, WHATSAPP_NUMBER, whatsAppStep } from '../../support/channels.ts';
import { mailOf } from '../../support/mails.ts';
import { emailStep, smsStep } from '../../support/sequences.ts';
import { handOver } from '../../support/smtp.ts';
import type { Answer, TestOrg } from '../../support/stack/api.ts';
import { eventually, type Stack, startStack, untilPasses } from '../../support/stack/stack.ts';

const SENDER = 'hello@acme.example';

let stack: Stack;
let perform: RunAction;
let org: TestOrg;
let phoneAgentId: string;
let inbox: string;
beforeAll(async () => {
  const env = { HOST: '127.0.0.1', INBOUND_DOMAIN: 'in.acme.example', INBOUND_SMTP_PORT: '0', DEVELOPMENT: 'true' };
  stack = await startStack({ env });
  perform = createActionRunner(stack);
});
beforeEach(async () => {
  org = await stack.createOrg();
  inbox = `${org.id}@in.acme.example`;
  await org.put('/email/inboxes', { address: inbox, is_default_sender: true });
  phoneAgentId = (await org.post('/phone', { name: 'Reminders', type: 'outbound' })).body.id;
});
afterAll(() => stack.close());

interface Person {
  id: string;
  email: string;
  phone: string;
}

let serial = 0;
async function save(more: object = {}): Promise<Person> {
  const person = { email: `p${++serial}@people.example`, phone: newNumber() };
  return { id: (await org.post('/contacts', { contact: { ...person, ...more } })).body.id, ...person };
}

async function runSequence({ id }: Person, step: object) {
  const { body } = await org.post('/sequences', { name: 'S', filter: null, steps: [step] });
  return org.post(`/sequences/${body.id}/contacts`, { contacts: [{ id }] });
}

const sessions = new Map<string, Promise<string>>();
/** Opens the session of a contact on a channel, once. */
function sessionOf({ id: contact_id }: Person, type: string): Promise<string> {
  const open = async () => (await org.post('/chat/sessions', { contact_id, channel: { type } })).body.id;
  const key = `${contact_id} ${type}`;
  const session = sessions.get(key) ?? open();
  sessions.set(key, session);
  return session;
}

const answer = async (person: Person, type: string) => {
  const message = { type: 'text', text: 'Hello' };
  return org.post(`/chat/sessions/${await sessionOf(person, type)}/send`, { sender: 'agent', message });
};

/** Whatever writes to a contact by itself or for somebody, each with one delivery. */
const SENDERS: Record<string, (person: Person) => Promise<unknown>> = {
  'an e-mail of a sequence': (person) => runSequence(person, emailStep('S')),
  'a transactional e-mail of a sequence': (person) =>
    runSequence(person, emailStep('S', 0, { email_is_transactional: true })),
  'an SMS of a sequence': (person) => runSequence(person, smsStep('S')),
  'a template of a sequence': (person) => runSequence(person, whatsAppStep('visit')),
  'a call of a sequence': (person) => runSequence(person, callStep(phoneAgentId)),
  'POST /email': ({ email: to_email }) => {
    const recipients = [{ to_email, email_subject: 'S', email_body: 'B', email_is_transactional: true }];
    return org.post('/email', { from_email: SENDER, recipients });
  },
  'POST /whatsapp/send-template': ({ id }) =>
    org.post('/whatsapp/send-template', {
      template_id: 'visit',
      phone_number_id: WHATSAPP_NUMBER,
      variables: [],
      contact: { id },
    }),
  'POST /phone/outbound-call': ({ id }) => org.post('/phone/outbound-call', { phoneAgentId, contact: { id } }),
  'a reply by e-mail': (person) => answer(person, 'email'),
  'a reply by SMS': (person) => answer(person, 'sms'),
  'the step send-email': ({ email: to_email }) =>
    perform(org, 'send-email', {
      from_email: SENDER,
      recipients: [{ to_email, email_subject: 'S', email_body: 'B' }],
    }),
  'the step send-sms': ({ id }) => perform(org, 'send-sms', { contact: { id }, text: 'Hi' }),
  'the step send-message': async (person) =>
    perform(org, 'send-message', { session_id: await sessionOf(person, 'sms'), text: 'Hi' }),
  'the step make-phone-call': ({ id }) => perform(org, 'make-phone-call', { phoneAgentId, contact: { id } }),
};

/** The channels of their deliveries, in alphabetical order. */
const CHANNELS = [
  ...Array<string>(5).fill('email'),
  ...Array<string>(4).fill('sms'),
  ...Array<string>(3).fill('voice'),
  ...Array<string>(2).fill('whatsapp'),
];

type End = [channel: string, status: string, reason: string | null];

/** Resolves to the ends of all deliveries to a contact, once there is one for each sender. */
async function endsOf({ id }: Person): Promise<End[]> {
  let ends: End[] = [];
  await untilPasses(async () => {
    const { items } = (await org.get(`/deliveries?contact_id=${id}&limit=100`)).body;
    ends = items.map(
      ({ channel, status, reason }: { channel: string; status: string; reason: string | null }): End => [
        channel,
        status,
        reason,
      ],
    );
    expect(ends.filter(([, status]) => status === 'queued' || status === 'sending')).toEqual([]);
    expect(ends.map(([channel]) => channel).sort()).toEqual(CHANNELS);
  });
  return ends;
}

/** What makes a contact blocked, though the address that a message goes to is not. */
const BLOCKS: Record<string, () => Promise<Person>> = {
  'the e-mail of a contact that was merged into it': async () => {
    const [person, absorbed] = [await save(), await save()];
    expect((await org.post(`/contacts/${person.id}/merge`, { from_id: absorbed.id })).status).toBe(200);
    await org.post('/blocklist/contacts', { email: absorbed.email });
    return person;
  },
  'the domain of what it claimed as a visitor': async () => {
    await org.post('/blocklist/domains', { domains: 'spam.example' });
    return save({ custom_data: { unverified_email: 'zoe@mail.spam.example' } });
  },
};

it.each(Object.keys(BLOCKS))('nobody sends to a contact who is blocked by %s', async (block) => {
  const [free, blocked] = [await save(), (await BLOCKS[block]?.()) as Person];
  const people = [free, blocked];
  const senders = Object.entries(SENDERS).flatMap((sender) => people.map((person) => [...sender, person] as const));
  const refused = await Promise.all(
    senders.map(async ([name, send, person]) => {
      const { status, body } = (await send(person)) as Answer;
      return person === free && typeof status === 'number' && status >= 300 ? [{ name, status, body }] : [];
    }),
  );
  expect(refused.flat()).toEqual([]);
  const [ofFree, ofBlocked] = [await endsOf(free), await endsOf(blocked)];
  expect(ofFree.filter(([, status]) => ['skipped', 'suppressed', 'failed'].includes(status))).toEqual([]);
  expect(ofBlocked.filter(([, ...end]) => end.join() !== 'skipped,the contact is blocked')).toEqual([]);
  const outbox = (await org.get('/sandbox/outbox')).body.items.map(({ to }: { to: string }) => to);
  expect([outbox.includes(free.phone), outbox.includes(blocked.phone)]).toEqual([true, false]);
  expect([stack.sink.to(free.email).length > 0, stack.sink.to(blocked.email).length > 0]).toEqual([true, false]);
});

it('a reply by e-mail is copied to nobody who is blocked or whose address bounces, and to 20 at most', async () => {
  const person = await save();
  const team = Array.from({ length: 17 }, (_, n) => `team${n}`);
  const cc = ['boss', 'spammer', 'gone', 'quiet', ...team].map((name) => `${name}${serial}@copies.example`);
  const [boss = '', spammer = '', gone = '', ...others] = cc;
  const [quiet = ''] = others;
  const copied = [boss, ...others.slice(0, -1)];
  const raw = mailOf({ From: person.email, To: inbox, Cc: cc.join(', '), Subject: 'My order' }, 'Where is it?');
  await handOver(stack.inboundPort, { from: person.email, to: inbox, raw });
  const { id } = await eventually('the session', async () => (await org.get('/chat/sessions')).body.items[0]);
  await org.post('/blocklist/contacts', { email: spammer });
  await stack.db
    .insertInto('suppressions')
    .values([
      { org_id: org.id, id: crypto.randomUUID(), channel: 'email', address: gone, reason: 'bounced' },
      { org_id: org.id, id: crypto.randomUUID(), channel: 'email', address: quiet, reason: 'unsubscribed' },
    ])
    .execute();
  await org.post(`/chat/sessions/${id}/send`, { sender: 'agent', message: { type: 'text', text: 'On its way' } });
  const mail = await eventually('the reply', () => stack.sink.to(person.email)[0]);
  expect([mail.cc].flat().flatMap((one) => one?.value.map(({ address }) => address))).toEqual(copied);
  const stored = await stack.db.selectFrom('deliveries').select('content').where('org_id', '=', org.id).execute();
  expect(stored.map(({ content }) => (content as { cc: string[] }).cc)).toEqual([copied]);
  const { id: messageId } = (await org.get(`/deliveries?session_id=${id}`)).body.items[0];
  const answers = async () => (await org.get(`/deliveries/${messageId}`)).body.answers;
  const leftOut = { attempt: 1, at: expect.any(String), outcome: 'copies_left_out' };
  const accepted = expect.objectContaining({ attempt: 1, outcome: 'accepted' });
  await eventually('the answer of the mail server', async () => (await answers()).length === 2);
  const answer = `${spammer}: blocked; ${gone}: bounced; ${others.at(-1)}: more than 20 copies`;
  expect(await answers()).toEqual([{ ...leftOut, answer }, accepted]);
  expect((await org.post('/redaction/message', { messageId, reason: 'Private' })).status).toBe(200);
  expect(await answers()).toEqual([{ ...leftOut, answer: null }, accepted]);
});
