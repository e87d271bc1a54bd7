import { generateKeyPairSync } from 'node:crypto';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { install } from '@sinonjs/fake-timers';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { composeMail, libraryMailOf } from '../../src/providers/email/composing.ts';
import type { EmailMessage } from '../../src/providers/email/port.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const SIGNING = { domain: 'acme.example', selector: 'one', privateKey };

const message = (changes: Partial<EmailMessage> = {}): EmailMessage => ({
  messageId: '<0190a0a0-0000-7000-8000-000000000001@acme.example>',
  from: { name: 'Acme', address: 'hello@acme.example' },
  to: 'ann@example.com',
  subject: 'Hi',
  body: 'Hello',
  unsubscribeUrl: 'https://acme.example/u/abc',
  envelopeFrom: 'bounces@acme.example',
  replyTo: undefined,
  dkim: undefined,
  ...changes,
});

const LONG = 'A sentence that is longer than a line of an e-mail may be without an end, as those of newsletters are. ';
const TOKEN = 'b'.repeat(61);

/** E-mails as orgs write them, and what they may have in their fields. */
const MESSAGES: Record<string, EmailMessage> = {
  short: message(),
  'one long line': message({ body: LONG.repeat(20) }),
  'long lines apart': message({ body: `${LONG}\n\n${LONG.trim()}\n-- \nAcme` }),
  'an even number of lines': message({ body: `${'short\n'.repeat(20)}` }),
  'lines with dots': message({ body: '.\n..\n.a\r\n.\r\nb.' }),
  accents: message({
    body: 'Zażółć gęślą jaźń — już dziś, całkiem spokojnie i bez pośpiechu',
    subject: 'Zażółć gęślą jaźń',
  }),
  'another script': message({
    body: '今週のお知らせをお送りします。よろしくお願いします。',
    subject: '今週のお知らせ',
  }),
  emoji: message({ body: '🎉 We are open again', subject: '🎉 Open' }),
  'a long subject': message({ subject: `${LONG}${LONG}`.trim() }),
  'a subject with quotes': message({ subject: 'The "new" one =?utf-8?Q?x?=' }),
  'no subject': message({ subject: '' }),
  'a name with a comma': message({ from: { name: 'Acme, Inc. "The" Shop', address: 'hello@acme.example' } }),
  'a name with accents': message({ from: { name: 'Łódź Bike', address: 'hello@acme.example' } }),
  'no name': message({ from: { name: undefined, address: 'hello@acme.example' } }),
  'a domain of another script': message({ to: 'ann@bücher.example' }),
  'a local part of another script': message({ to: 'änn@example.com' }),
  'a domain in capitals': message({ to: 'Ann.B+c@Example.COM' }),
  'a quoted local part': message({ to: '"ann b"@example.com' }),
  copies: message({
    cc: ['bob@example.com', 'cid@bücher.example', 'a-rather-long-address@subsidiary.of.a.company.example'],
  }),
  'our mailboxes': message({
    messageId: `<${TOKEN}@acme.example>`,
    envelopeFrom: `b-${TOKEN}@in.acme.example`,
    replyTo: `r-${TOKEN}@in.acme.example`,
    unsubscribeUrl: `https://switchboard.acme.example/u/${'c'.repeat(64)}`,
  }),
  'an answer': message({
    inReplyTo: '<first@example.com>',
    references: ['<zero@example.com>', `<${'one'.repeat(30)}@example.com>`, '<first@example.com>'],
    isAutoReply: true,
    unsubscribeUrl: undefined,
  }),
  'an answer to one': message({ inReplyTo: '<first@example.com>', unsubscribeUrl: undefined }),
  HTML: message({
    body: `<html><body><h1>News</h1><p>${LONG.repeat(5)}</p><a href="https://a.example">More</a></body></html>`,
  }),
  'HTML of another script': message({ body: '<p>今週のお知らせをお送りします。</p>', isHtml: true }),
  'HTML without text': message({ body: '<br>', isHtml: true }),
  'an end of a line alone': message({ body: '\n', isHtml: false }),
  'ends of lines and spaces': message({ body: ' \n\t\n a  b \n\n\n', isHtml: false }),
  'no text': message({ body: '', isHtml: false }),
  'a file': message({ attachments: [{ name: 'ażór.txt', mimeType: 'text/plain', bytes: Buffer.from('file') }] }),
};

const library = createTransport({ streamTransport: true, buffer: true });

/** What a server gets: ends of lines are those of the protocol. */
const onTheWire = (raw: string): string => raw.replace(/\r\n|\r|\n/g, '\r\n');

async function textOf(given: unknown): Promise<string> {
  const content = typeof given === 'function' ? await given() : given;
  return content instanceof Buffer ? content.toString() : text(content as Readable);
}

describe('composed e-mail', () => {
  const clock = install({ now: new Date('2026-03-01T10:00:00Z'), toFake: ['Date'] });
  afterAll(() => clock.uninstall());

  const bothOf = async (given: EmailMessage, signing?: typeof SIGNING) => {
    const ours = composeMail(given, signing);
    const theirs = await library.sendMail(libraryMailOf(given, signing));
    return {
      ours: { ...ours, content: await textOf(ours.content) },
      theirs: { ...theirs, content: await textOf(theirs.message) },
    };
  };

  it.each(Object.keys(MESSAGES))('has the envelope and the fields that nodemailer writes: %s', async (name) => {
    const { ours, theirs } = await bothOf(MESSAGES[name] as EmailMessage);
    const headerOf = (raw: string) =>
      onTheWire(raw.slice(0, raw.indexOf('\r\n\r\n'))).replace(/--_NmP-[\da-f]+/, 'a random boundary');
    expect(headerOf(ours.content)).toBe(headerOf(theirs.content));
    expect(ours.envelope).toEqual({ from: theirs.envelope.from, to: theirs.envelope.to });
  });

  it.each(Object.keys(MESSAGES))(
    'has the parts that a reader finds in that of nodemailer, in lines that are short enough: %s',
    async (name) => {
      const { ours, theirs } = await bothOf(MESSAGES[name] as EmailMessage);
      const [our, their] = await Promise.all([
        simpleParser(onTheWire(ours.content)),
        simpleParser(onTheWire(theirs.content)),
      ]);
      const readOf = ({ text, html, attachments }: ParsedMail) => ({
        text: text?.trimEnd(),
        html: typeof html === 'string' ? html.trimEnd() : html,
        files: attachments.map(({ filename, content }) => [filename, content.toString()]),
      });
      expect(readOf(our)).toEqual(readOf(their));
      const wire = onTheWire(ours.content);
      const body = wire.slice(wire.indexOf('\r\n\r\n') + 4);
      expect(body.split('\r\n').filter((line) => line.length > 76)).toEqual([]);
      expect(body).toMatch(/^[\x20-\x7e\t\r\n]*$/);
    },
  );

  it.each(Object.keys(MESSAGES))('is signed so that receivers can tell: %s', async (name) => {
    const { content } = composeMail(MESSAGES[name] as EmailMessage, SIGNING);
    const raw = onTheWire(await textOf(content));
    const resolver = async () => [[`v=DKIM1; k=rsa; p=${publicKey.replace(/-----.*-----|\n/g, '')}`]];
    const { results } = await dkimVerify(raw, { resolver });
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
    expect(
      (await dkimVerify(raw.replace(/(?<=Subject: |Message-ID: <)./, '-'), { resolver })).results.map(
        ({ status }) => status.result,
      ),
    ).toEqual(['fail']);
  });

  it('has the link of its own in the text of an HTML that others have too', async () => {
    const linkOf = (nth: number) => `https://switchboard.acme.example/u/${String(nth).repeat(64)}`;
    for (const nth of [1, 2, 1]) {
      const body = `<h1>News</h1><p>${LONG}</p><a href="${linkOf(nth)}">Unsubscribe</a>`;
      const { ours, theirs } = await bothOf(message({ body, unsubscribeUrl: linkOf(nth) }));
      const [our, their] = await Promise.all([simpleParser(ours.content), simpleParser(theirs.content)]);
      expect(our.text?.trimEnd()).toBe(their.text?.trimEnd());
      expect(our.text).toContain(`<${linkOf(nth)}>`);
      expect(our.html).toContain(linkOf(nth));
    }
  });

  it('is not signed by a key that is none, and says so', async () => {
    const unusable = { ...SIGNING, privateKey: 'no key' };
    expect(() => composeMail(message(), unusable)).toThrow('The DKIM key of acme.example cannot sign');
  });
});
