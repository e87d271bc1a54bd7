import { sql } from 'kysely';
import { lockName } from '../../../src/db/locks.ts';
import { createInlineReceiver } from '../../../src/deliveries/inbound/emails/inline/service.ts';
import { type ReceivedMail, storeInboundEmail } from '../../../src/deliveries/inbound/emails/service.ts';
import { createMailTokens } from '../../../src/deliveries/inbound/mail-tokens.ts';
import { createMailReader } from '../../../src/deliveries/mail/mail-reader.ts';
import { mailInMemory } from '../../../src/deliveries/mail/raw-mail.ts';
import { mailOf } from '../../support/mails.ts';
import { startApi, type TestApi } from '../../support/stack/api.ts';

const INBOX = 'support@in.acme.example';
const TEXT = 'The parcel that you have sent to me on Monday has not arrived yet.';

let api: TestApi;
let inboxId: string;
let receive: (mail: ReceivedMail) => Promise<boolean>;
const mailReader = createMailReader();
beforeAll(async () => {
  api = await startApi({ isInProcess: true });
  inboxId = (await api.org.put('/email/inboxes', { address: INBOX })).body.id;
  const authenticator = { authenticate: async () => ({ isAuthentic: false, isForged: false }) };
  const tokens = createMailTokens(['only for tests, so not a secret']);
  receive = createInlineReceiver({
    db: api.db,
    tokens,
    mailReader,
    authenticator,
    trustedAuthservIds: [],
    log: { warn: () => undefined },
  });
  await receive(mail('first')); // starts the reader
});
afterAll(async () => {
  await mailReader.close();
  await api.close();
});

const addressOf = (name: string) => `${name}@people.example`;

function mail(name: string, headers: Record<string, string> = {}, text = TEXT): ReceivedMail {
  const raw = mailOf({ From: addressOf(name), To: INBOX, 'Message-ID': `<${name}@people.example>`, ...headers }, text);
  return {
    mailFrom: addressOf(name),
    recipients: [{ address: INBOX, mailbox: { kind: 'inbox', orgId: api.org.id, inboxId } }],
    raw: mailInMemory(Buffer.from(raw)),
  };
}

/** Returns the transactions that have stored the messages of senders. */
async function transactionsOf(names: string[]): Promise<string[]> {
  const { rows } = await sql<{ xid: string }>`
    select event.xid::text as xid from inbound_messages as message join session_events as event using (org_id, id)
    where message.org_id = ${api.org.id} and message."from" = any(${names.map(addressOf)}::text[])
  `.execute(api.db);
  return rows.map(({ xid }) => xid);
}

it('e-mails that come together are stored in one transaction, each with a session', async () => {
  const names = ['ann', 'ben', 'cid', 'dan', 'eve', 'fay'];
  expect(await Promise.all(names.map((name) => receive(mail(name))))).toEqual(names.map(() => true));
  const transactions = await transactionsOf(names);
  expect(transactions).toHaveLength(names.length);
  expect(new Set(transactions).size).toBeLessThan(names.length);
});

it('of e-mails of a sender with one Message-ID that come together, one is a message', async () => {
  const headers = { 'Message-ID': '<same@people.example>' };
  const paths = ['one way', 'another way', 'a third way'];
  await Promise.all(paths.map((Received) => receive(mail('gus', { ...headers, Received }))));
  await Promise.all(['hal', 'ida'].map((name) => receive(mail(name, headers))));
  const names = ['gus', 'hal', 'ida'];
  expect(await transactionsOf(names)).toHaveLength(names.length);
  const emails = names.map(addressOf);
  const contacts = api.db.selectFrom('contacts').select('id').where('org_id', '=', api.org.id);
  expect(await contacts.where('email', 'in', emails).execute()).toHaveLength(names.length);
});

it('an e-mail does not overtake an earlier one of its sender', async () => {
  await storeInboundEmail(api.db, mail('jon'));
  const next = mail('jon', { 'Message-ID': '<next@people.example>', 'In-Reply-To': '<jon@people.example>' });
  expect(await receive(next)).toBe(false);
  expect(await transactionsOf(['jon'])).toEqual([]);
});

it('an e-mail of a contact whose conversation is locked is left to its workflow, and holds up no other', async () => {
  const { rows } = await sql<{ id: string }>`
    select id from contacts where org_id = ${api.org.id} and email = ${addressOf('ann')}
  `.execute(api.db);
  await api.db.transaction().execute(async (trx) => {
    await lockName(trx, `conversation ${api.org.id} ${rows[0]?.id}`);
    const locked = mail('ann', { 'Message-ID': '<locked@people.example>' });
    expect(await Promise.all([receive(locked), receive(mail('kim'))])).toEqual([false, true]);
  });
});

it('an e-mail as HTML is processed at once, also with names in it', async () => {
  const html = '<html><head><meta name="viewport"></head><body><p>Where is my parcel?</p></body></html>';
  expect(await receive(mail('mia', { 'Content-Type': 'text/html; charset=utf-8' }, html))).toBe(true);
});

it.each([
  ['of several recipients', (one: ReceivedMail) => ({ ...one, recipients: [...one.recipients, ...one.recipients] })],
  [
    'with a named part',
    (one: ReceivedMail) => ({ ...one, raw: mail('leo', { 'Content-Type': 'text/csv; name="a.csv"' }).raw }),
  ],
  ['with a file', (one: ReceivedMail) => ({ ...one, raw: mail('leo', { 'Content-Type': 'image/png' }).raw })],
])('an e-mail %s is left to its workflow', async (_, change) => {
  expect(await receive(change(mail('leo')))).toBe(false);
});
