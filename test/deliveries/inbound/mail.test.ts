import { createConnection } from 'node:net';
import { type KyselyPlugin, sql } from 'kysely';
import { createTransport } from 'nodemailer';
import { pino } from 'pino';
import { connect, type Db } from '../../../src/db/connect.ts';
import { WriteQuotaUsed } from '../../../src/db/write-quota.ts';
import { openRawMail } from '../../../src/deliveries/inbound/emails/raw-mails.service.ts';
import { deleteOldRawMail, receiveInboundEmail } from '../../../src/deliveries/inbound/emails/service.ts';
import {
  bounceAddress,
  createMailTokens,
  messageIdOf,
  replyAddress,
} from '../../../src/deliveries/inbound/mail-tokens.ts';
import { createMailReader, MailReadTimeout } from '../../../src/deliveries/mail/mail-reader.ts';
import { mailInMemory } from '../../../src/deliveries/mail/raw-mail.ts';
import { createMailAuthenticator } from '../../../src/providers/email/authenticator.ts';
import { createWorkerDeps } from '../../../worker/deps.ts';
import { startMaintenance } from '../../../worker/maintenance.ts';
import { pngOf } from '../../media/samples.ts';
import { exchangeReport, mailOf, POSTFIX_DELAYED, POSTFIX_NO_SUCH_USER, postfixReport } from '../../support/mails.ts';
import { handOver } from '../../support/smtp.ts';
import { eventually, type Stack, startStack } from '../../support/stack/stack.ts';

const AUTHENTICATION = { authenticator: createMailAuthenticator({ servers: [] }), trustedAuthservIds: [] };

const DOMAIN = 'in.acme.example';
const MB = 1024 * 1024;

interface Sent {
  id: string;
  to: string;
  bounce: string;
  reply: string;
  messageId: string;
}

describe('inbound e-mail', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      env: {
        HOST: '127.0.0.1',
        INBOUND_DOMAIN: DOMAIN,
        INBOUND_SMTP_PORT: '0',
        MAX_INBOUND_MAIL_MB: '10',
        DEVELOPMENT: 'true',
      },
    });
  });
  afterAll(() => stack.close());

  /** Sends an e-mail of the org, up to its acceptance by the mail server. */
  async function sentTo(to: string, org = stack.org): Promise<Sent> {
    const { body } = await org.post('/email', {
      from_email: 'hello@acme.example',
      recipients: [{ to_email: to }],
      fallback_email_subject: 'Hi',
      fallback_email_body: 'Hello',
    });
    const id: string = body.data[0].id;
    await eventually('the mail', async () => (await deliveryOf(id))?.status === 'accepted');
    const token = createMailTokens(stack.config.signingSecrets).tokenOf({ orgId: org.id, deliveryId: id });
    return {
      id,
      to,
      bounce: bounceAddress(token, DOMAIN),
      reply: replyAddress(token, DOMAIN),
      messageId: messageIdOf(token, 'acme.example'),
    };
  }

  const receive = (mail: { from: string; to: string; raw: string }) => handOver(stack.inboundPort, mail);
  const deliveryOf = (id: string) =>
    stack.db.selectFrom('deliveries').select(['status', 'reason']).where('id', '=', id).executeTakeFirst();
  const inboundEmailsOf = ({ id }: Sent) =>
    stack.db.selectFrom('inbound_emails').selectAll().where('delivery_id', '=', id).orderBy('received_at').execute();
  const repliesTo = ({ id }: Sent) =>
    stack.db.selectFrom('inbound_messages').selectAll().where('delivery_id', '=', id).execute();
  const suppressionOf = async (address: string) =>
    (
      await stack.db
        .selectFrom('suppressions')
        .select('reason')
        .where('org_id', '=', stack.org.id)
        .where('address', '=', address)
        .executeTakeFirst()
    )?.reason;
  const resultOf = (sent: Sent) =>
    eventually('the mail to be read', async () => {
      const emails = await inboundEmailsOf(sent);
      return emails.length > 0 && emails.every(({ processed_at }) => processed_at !== null) && emails.at(-1)?.result;
    });

  it('has one address per delivery for bounces and another one for replies, as named in our e-mails', async () => {
    const sent = await sentTo('asks@example.com');
    const [mail] = stack.sink.to('asks@example.com');
    expect([mail?.messageId, mail?.replyTo?.text]).toEqual([sent.messageId, sent.reply]);
  });

  it('about a nonexistent address suppresses this address (Postfix)', async () => {
    const sent = await sentTo('ann@example.com');
    const parts = { to: sent.bounce, recipient: sent.to, messageId: sent.messageId };
    await receive({ from: '', to: sent.bounce, raw: postfixReport(parts, POSTFIX_NO_SUCH_USER) });

    expect(await resultOf(sent)).toBe('bounced');
    expect(await deliveryOf(sent.id)).toEqual({
      status: 'bounced',
      reason: '550 5.1.1 <ann@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
    });
    expect(await suppressionOf(sent.to)).toBe('bounced');
  });

  it('about a full mailbox fails only the one e-mail (Exchange)', async () => {
    const sent = await sentTo('full@example.com');
    const parts = { to: sent.bounce, recipient: 'Full@Example.com', messageId: sent.messageId };
    const raw = exchangeReport(
      parts,
      '5.2.2',
      '554 5.2.2 mailbox full; STOREDRV.Deliver.Exception:QuotaExceededException',
    );
    await receive({ from: '', to: sent.bounce.toUpperCase(), raw });

    expect(await resultOf(sent)).toBe('failed');
    expect(await deliveryOf(sent.id)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^554 5\.2\.2/),
    });
    expect(await suppressionOf(sent.to)).toBeUndefined();
  });

  it('about a mere delay changes nothing', async () => {
    const sent = await sentTo('slow@example.com');
    const parts = { to: sent.bounce, recipient: sent.to, messageId: sent.messageId };
    await receive({ from: '', to: sent.bounce, raw: postfixReport(parts, POSTFIX_DELAYED) });

    expect(await resultOf(sent)).toBe('delayed');
    expect((await deliveryOf(sent.id))?.status).toBe('accepted');
  });

  it('with an unreadable bounce is only recorded', async () => {
    const sent = await sentTo('odd@example.com');
    const raw = mailOf({ From: 'MAILER-DAEMON@odd.example.com', Subject: 'failure notice' }, 'Sorry, no mailbox here.');
    await receive({ from: '', to: sent.bounce, raw });

    expect(await resultOf(sent)).toBe('unreadable bounce');
    expect((await deliveryOf(sent.id))?.status).toBe('accepted');
  });

  it('to the reply address is a reply, whoever the claimed sender is', async () => {
    const sent = await sentTo('bob@example.com');
    const raw = mailOf(
      { From: 'Bob <Bob@Elsewhere.example>', 'Message-ID': '<1@elsewhere.example>' },
      'Yes!\r\n\r\n> Hello',
    );
    await receive({ from: 'bob@elsewhere.example', to: sent.reply, raw });

    expect(await resultOf(sent)).toBe('reply');
    expect(await repliesTo(sent)).toMatchObject([
      {
        channel: 'email',
        provider: 'smtp',
        provider_id: '<1@elsewhere.example>',
        from: 'bob@elsewhere.example',
        to: sent.reply,
        body: expect.stringMatching(/^Yes!\n\n> Hello\s*$/),
      },
    ]);
  });

  it.each([
    ['that is empty', '', 'zoe1@example.com'],
    ['without an address', 'Zoe from the shop', 'zoe2@example.com'],
    ['with an address that is too long', `<zoe@${'x'.repeat(60)}.${'y.'.repeat(120)}example>`, 'zoe3@example.com'],
  ])('with a From %s is a reply of the recipient of the e-mail that it answers', async (_, From, to) => {
    const { id: contactId } = (await stack.org.post('/contacts', { contact: { email: to } })).body;
    const [first, second] = [await sentTo(to), await sentTo(to)];
    await receive({ from: 'bounces@shop.example', to: first.reply, raw: mailOf({ From }, 'Mine') });
    const named = { From, 'In-Reply-To': second.messageId };
    await receive({ from: 'bounces@shop.example', to: first.bounce, raw: mailOf(named, 'And mine') });

    await eventually('both replies', async () => (await inboundEmailsOf(first)).every(({ result }) => result !== null));
    expect((await inboundEmailsOf(first)).map(({ result }) => result)).toEqual(['reply', 'reply']);
    expect(await repliesTo(first)).toMatchObject([{ from: to, contact_id: contactId, body: 'Mine\n' }]);
    expect(await repliesTo(second)).toMatchObject([{ from: to, contact_id: contactId, body: 'And mine\n' }]);
  });

  it('naming the Message-ID of an e-mail of ours is a reply to it, to any of our addresses', async () => {
    const [first, second] = [await sentTo('cyd@example.com'), await sentTo('cyd@example.com')];
    const other = await sentTo('cyd@example.com', stack.other);
    const headers = {
      From: 'cyd@example.com',
      'In-Reply-To': second.messageId.toUpperCase(),
      References: other.messageId,
    };
    await receive({ from: 'cyd@example.com', to: first.bounce, raw: mailOf(headers, 'The second one') });
    expect(await resultOf(first)).toBe('reply');
    expect(await repliesTo(second)).toMatchObject([{ body: expect.stringContaining('The second one') }]);

    // another org's e-mail is ignored for this one
    const foreign = { From: 'cyd@example.com', 'In-Reply-To': other.messageId };
    await receive({ from: 'cyd@example.com', to: second.bounce, raw: mailOf(foreign, 'To the other') });
    expect(await resultOf(second)).toBe('unreadable bounce');
    expect(await repliesTo(other)).toEqual([]);
  });

  it.each([
    ['Auto-Submitted', 'auto-replied (vacation)', 'dee@example.com'],
    ['Precedence', 'bulk', 'dee@example.com'],
    ['X-Autoreply', 'yes', 'dee@example.com'],
    ['X-Nothing', 'but an empty sender', ''],
  ])('is no reply with the header %s: %s', async (name, value, from) => {
    const sent = await sentTo('dee@example.com');
    await receive({ from, to: sent.reply, raw: mailOf({ [name]: value }, 'I am away.') });
    expect(await resultOf(sent)).toBe('automatic reply');
    expect(await repliesTo(sent)).toEqual([]);
  });

  it('is stored once, however often its sender retries', async () => {
    const sent = await sentTo('eve@example.com');
    const mail = { from: 'eve@example.com', to: sent.reply, raw: mailOf({}, 'Once') };
    await Promise.all([receive(mail), receive(mail)]);
    await receive(mail);
    expect(await resultOf(sent)).toBe('reply');
    expect(await inboundEmailsOf(sent)).toHaveLength(1);
    expect(await repliesTo(sent)).toHaveLength(1);
  });

  it('is processed once, even by concurrent attempts', async () => {
    const sent = await sentTo('fay@example.com');
    await receive({ from: 'fay@example.com', to: sent.reply, raw: mailOf({}, 'Once') });
    await resultOf(sent);
    const [email] = await inboundEmailsOf(sent);
    const mailReader = createMailReader();
    const ref = { orgId: stack.org.id, inboundEmailId: email?.id ?? '' };
    await stack.db
      .updateTable('inbound_emails')
      .set({ result: null, processed_at: null })
      .where('id', '=', ref.inboundEmailId)
      .execute();
    const tokens = createMailTokens(stack.config.signingSecrets);
    const deps = { db: stack.db, tokens, mailReader, storage: stack.deps.storage, ...AUTHENTICATION };
    const take = () => receiveInboundEmail(deps, { ...ref, attempt: 1 });
    expect(await Promise.all([take(), take()])).toEqual(['reply', 'reply']);
    expect(await repliesTo(sent)).toHaveLength(1);
    await mailReader.close();
  });

  it('is stored for each of our addresses among its recipients', async () => {
    const [first, second] = [await sentTo('gus@example.com'), await sentTo('gus@example.com')];
    const transport = createTransport({ host: '127.0.0.1', port: stack.inboundPort, ignoreTLS: true });
    const envelope = { from: 'gus@example.com', to: [first.reply, 'nobody@in.acme.example', second.reply] };
    const { rejected } = await transport.sendMail({ envelope, raw: mailOf({}, 'To both') });
    expect(rejected).toEqual(['nobody@in.acme.example']);
    await Promise.all([resultOf(first), resultOf(second)]);
    expect(await Promise.all([inboundEmailsOf(first), inboundEmailsOf(second)])).toMatchObject([[{}], [{}]]);
    // one message, sent once
    expect([...(await repliesTo(first)), ...(await repliesTo(second))]).toHaveLength(1);
  });

  it('may be a megabyte of HTML and is stored as text', async () => {
    const sent = await sentTo('hal@example.com');
    const headers = { 'Content-Type': 'text/html; charset=utf-8' };
    const html = `<html><style>p { color: red }</style><p>Yes &amp; no</p>${'<a href="https://example.com">more</a>\r\n'.repeat(28_000)}`;
    expect(html.length).toBeGreaterThan(MB);
    await receive({ from: 'hal@example.com', to: sent.reply, raw: mailOf(headers, html) });
    expect(await resultOf(sent)).toBe('reply');
    const [reply] = await repliesTo(sent);
    expect(reply?.body).toMatch(/^Yes & no\n\nmore <https:\/\/example.com> more/);
    expect(reply?.body).toHaveLength(65_536);
    expect(reply?.body).toMatch(/[^…]…$/);
  });

  it('is stored in parts if it is large, and read with its files; its parts go with its raw form', async () => {
    const sent = await sentTo('lea@example.com');
    const photo = pngOf(900 * 1024);
    const part = (fields: string, content: string) => `--b\r\n${fields}\r\n\r\n${content}\r\n`;
    const file = `Content-Type: image/png; name=a.png\r\nContent-Transfer-Encoding: base64`;
    const image = part(file, photo.toString('base64').replace(/.{76}/g, '$&\r\n'));
    const body = `${part('Content-Type: text/plain', 'My photo')}${image}${part(file.replace('a.png', 'b.png'), 'AAAA'.repeat(1_500_000))}--b--`;
    await receive({
      from: 'lea@example.com',
      to: sent.reply,
      raw: mailOf({ 'Content-Type': 'multipart/mixed; boundary=b' }, body),
    });
    expect(await resultOf(sent)).toBe('reply');
    const stored = stack.db.selectFrom('media').select(['file_name', 'size']).where('org_id', '=', stack.org.id);
    expect(await stored.where('size', '=', photo.length).execute()).toEqual([
      { file_name: 'a.png', size: photo.length },
    ]);
    const [reply] = await repliesTo(sent);
    expect(reply?.body).toBe('My photo');
    const [email] = await inboundEmailsOf(sent);
    const parts = stack.db
      .selectFrom('inbound_email_parts')
      .select('position')
      .where('email_id', '=', email?.id ?? '');
    expect((await parts.execute()).length).toBeGreaterThan(10);
    const deletion = stack.db
      .updateTable('inbound_emails')
      .set({ raw: null })
      .where('id', '=', email?.id ?? '');
    const open = (db: Db) => openRawMail(db, stack.org.id, email?.id ?? '');
    await using whole = await open(stack.db);
    expect(whole?.size).toBeGreaterThan(6 * MB);
    const deletedMeanwhile: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        await deletion.execute();
        return result;
      },
    };
    expect(await open(stack.db.withPlugin(deletedMeanwhile))).toBeNull();
    expect(await parts.execute()).toEqual([]);
    expect(await open(stack.db)).toBeNull();
  });

  it('is refused for addresses that are not ours, and for a size over 10 MB', async () => {
    const sent = await sentTo('ivy@example.com');
    const from = 'ivy@example.com';
    for (const to of [
      'hello@in.acme.example',
      sent.reply.replace(DOMAIN, 'acme.example'),
      sent.reply.replace('r-', 'r-0'),
    ]) {
      const error = await receive({ from, to, raw: mailOf({}, 'Hi') }).catch((refusal) => refusal);
      expect([error.responseCode, error.response]).toEqual([550, expect.stringContaining('5.1.1')]);
    }
    const big = mailOf({}, `${'x'.repeat(998)}\r\n`.repeat(10_600));
    const error = await receive({ from, to: sent.reply, raw: big }).catch((refusal) => refusal);
    expect(error.responseCode).toBe(552);
    expect(await undeclared(stack.inboundPort ?? 0, from, sent.reply, big)).toMatch(/^552 5\.3\.4/);
    expect(await inboundEmailsOf(sent)).toEqual([]);
  });

  it('to an org that has used up its bytes of the day is left with its sender, but not its copies to others', async () => {
    const [own, theirs] = [await sentTo('jon@example.com'), await sentTo('jon@example.com', stack.other)];
    const { quota } = stack.deps;
    const assertLeft = (writer: string) => {
      if (writer === stack.org.id) throw new WriteQuotaUsed(60);
    };
    const log = pino({ level: 'silent' });
    const inbound = await createWorkerDeps(stack.config, stack.db, {
      quota: { ...quota, assertLeft },
      log,
      receivesMail: true,
    });
    const transport = createTransport({ host: '127.0.0.1', port: inbound.inboundPort, ignoreTLS: true });
    const { accepted, rejected, rejectedErrors } = await transport.sendMail({
      envelope: { from: 'jon@example.com', to: [own.reply, theirs.reply] },
      raw: mailOf({}, 'Hi'),
    });
    expect([accepted, rejected]).toEqual([[theirs.reply], [own.reply]]);
    expect(rejectedErrors?.[0]?.response).toContain('452 4.2.2');
    transport.close();
    await inbound.stopReceiving();
    await inbound.close();
    expect(await resultOf(theirs)).toBe('reply');
    expect(await inboundEmailsOf(own)).toEqual([]);
  });

  it('is left with its sender for a retry while the database is unavailable', async () => {
    const sent = await sentTo('jon@example.com');
    const nowhere = connect('postgres://nobody@127.0.0.1:1/nothing', { poolSize: 1 });
    const inbound = await createWorkerDeps(stack.config, nowhere.db, {
      quota: stack.deps.quota,
      log: pino({ level: 'silent' }),
      receivesMail: true,
    });
    const mail = { from: 'jon@example.com', to: sent.reply, raw: mailOf({}, 'Hi') };
    const error = await handOver(inbound.inboundPort, mail).catch((refusal) => refusal);
    expect([error.responseCode, error.response]).toEqual([451, expect.stringContaining('4.3.0')]);
    await inbound.stopReceiving();
    await Promise.all([inbound.close(), nowhere.close()]);

    await receive(mail);
    expect(await resultOf(sent)).toBe('reply');
  });

  it('is deleted after 30 days, except for its classification', async () => {
    const sent = await sentTo('kim@example.com');
    await receive({ from: 'kim@example.com', to: sent.reply, raw: mailOf({}, 'Old') });
    await receive({ from: 'kim@example.com', to: sent.reply, raw: mailOf({}, 'New') });
    await resultOf(sent);
    const [old] = await inboundEmailsOf(sent);
    const longAgo = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
    await stack.db
      .updateTable('inbound_emails')
      .set({ received_at: longAgo })
      .where('id', '=', old?.id ?? '')
      .execute();

    const stop = startMaintenance(stack.db, stack.config, { warn: () => undefined });
    await eventually('the sweep', async () => (await inboundEmailsOf(sent))[0]?.raw === null);
    stop();
    expect((await inboundEmailsOf(sent)).map(({ raw, result }) => [raw === null, result])).toEqual([
      [true, 'reply'],
      [false, 'reply'],
    ]);
  });

  it('is deleted in batches of a bounded size', async () => {
    const sent = await sentTo('kit@example.com');
    for (const text of ['1', '2', '3'])
      await receive({ from: 'kit@example.com', to: sent.reply, raw: mailOf({}, text) });
    const stored = await eventually('the results', async () => {
      const mails = await inboundEmailsOf(sent);
      return mails.every(({ result }) => result !== null) && mails;
    });
    const ids = stored.map(({ id }) => id);
    await sql`
      update inbound_emails set received_at = now() - interval '31 days' where id = any(${ids})
    `.execute(stack.db);
    await sql`
      insert into inbound_email_parts (org_id, email_id, position, bytes)
      select org_id, id, position, 'x' from inbound_emails, generate_series(1, 150) as position where id = any(${ids})
    `.execute(stack.db);
    expect([await deleteOldRawMail(stack.db), await deleteOldRawMail(stack.db)]).toEqual([2, 1]);
    expect(await deleteOldRawMail(stack.db)).toBe(0);
  });
});

/** Sends an e-mail without declaring its size beforehand and returns the receiver's responses. */
function undeclared(port: number, from: string, to: string, raw: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const says = ['EHLO mail.example.com', `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`, 'DATA', `${raw}\r\n.`];
    socket.setEncoding('utf8').on('error', reject);
    socket.on('data', (text: string) => {
      const reply = text.trimEnd().split('\r\n').at(-1) ?? '';
      const next = says.shift();
      if (next !== undefined && /^[23]\d\d /.test(reply)) socket.write(`${next}\r\n`);
      else socket.end(() => resolve(reply));
    });
  });
}

describe('the mail reader', () => {
  const reader = createMailReader(1_500);
  afterAll(() => reader.close());

  it('gives up an e-mail after the timeout and reads the next one', async () => {
    const long = mailInMemory(
      Buffer.from(mailOf({ 'Content-Transfer-Encoding': 'quoted-printable' }, '=41'.repeat(12 * MB))),
    );
    const short = mailInMemory(Buffer.from(mailOf({}, 'Hi')));
    const [first, second, third] = await Promise.all([
      reader.read('org', async () => long).catch((error: unknown) => error),
      reader.read('org', async () => null),
      reader.read('org', async () => short),
    ]);
    expect([first, second.mail, third.mail?.body.trim()]).toEqual([expect.any(MailReadTimeout), undefined, 'Hi']);
  });

  it('reads the e-mails of orgs in turn, however many one of them has', async () => {
    const order: string[] = [];
    const read = (orgId: string) =>
      reader.read(orgId, async () => {
        order.push(orgId);
        return null;
      });
    await Promise.all([...Array.from({ length: 5 }, () => read('loud')), read('quiet'), read('other'), read('quiet')]);
    expect(order).toEqual(['loud', 'loud', 'quiet', 'other', 'loud', 'quiet', 'loud', 'loud']);
  });

  it('continues after an e-mail that could not be loaded', async () => {
    const failing = reader.read('org', () => Promise.reject(new Error('the database is away')));
    await expect(failing).rejects.toThrow('away');
    const mail = mailInMemory(Buffer.from(mailOf({}, 'Hi')));
    expect((await reader.read('org', async () => mail)).mail?.from).toBe('ann@example.com');
  });

  it('reads hostile headers and text within its limits', async () => {
    const id = '<x@example.com>';
    const headers = {
      From: '"Ann" <ANN@example.com>, bob@example.com',
      'Message-ID': `<${'x'.repeat(300)}@example.com>`,
      References: `${id} `.repeat(1_000),
    };
    const raw = mailInMemory(Buffer.from(mailOf(headers, `a\0b${'😀'.repeat(40_000)}`)));
    const { mail } = await reader.read('org', async () => raw);
    expect(mail).toMatchObject({
      from: 'ann@example.com',
      messageId: undefined,
      isAutomatic: false,
      reports: undefined,
    });
    expect(mail?.answers).toEqual(Array(20).fill(id));
    expect(mail?.body).toMatch(/^ab(?:😀)+…$/u);
    expect(mail?.body.length).toBeLessThanOrEqual(65_536);
  });
});
