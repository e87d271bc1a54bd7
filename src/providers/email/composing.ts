import { createHash, createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { encode as encodeBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64';
import sign from 'nodemailer/lib/dkim/sign';
import { foldLines, hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
import MimeNode from 'nodemailer/lib/mime-node';
import { encode as encodeQuoted, wrap as wrapQuoted } from 'nodemailer/lib/qp';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import { textOfHtml } from '../../html/text.rules.ts';
import type { EmailMessage, MailFile } from './port.ts';

/** An e-mail as a server gets it. */
export interface ComposedMail {
  envelope: { from: string; to: string[] };
  /** Its header and text, or what opens them as a stream. Line ends and dots are left to the protocol. */
  content: Buffer | (() => Promise<Readable>);
}

export type DkimSigning = NonNullable<EmailMessage['dkim']>;

const MAX_LINE_LENGTH = 76;
const MAX_CACHED_LINES = 500;
const MAX_CACHED_KEYS = 500;
const MAX_CACHED_TEXT_LENGTH = 2_000_000;

/** RFC 8058 requires signing both List-Unsubscribe fields; nodemailer's own list omits the second. */
const DKIM_FIELDS =
  'From:Sender:Reply-To:Subject:Date:Message-ID:In-Reply-To:References:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:List-Unsubscribe:List-Unsubscribe-Post';

const library = createTransport({ streamTransport: true, disableFileAccess: true, disableUrlAccess: true });
/** Encodes values of header fields, and addresses. */
const fields = new MimeNode();

/**
 * Returns an e-mail as it goes out (RFC 5322, RFC 2045), signed if `signing` says how (RFC 6376). One with files is composed
 * by nodemailer as a stream. Others are composed here at once, in the same form, which takes a tenth of the time.
 */
export function composeMail(message: EmailMessage, signing: DkimSigning | undefined): ComposedMail {
  const parts = (message.attachments ?? []).length > 0 ? undefined : partsOf(message);
  if (parts === undefined) {
    const open = async () => (await library.sendMail(libraryMailOf(message, signing))).message as Readable;
    return { envelope: envelopeOf(message), content: open };
  }
  const { headers, body } = withParts(headersOf(message), parts);
  const signature = signing === undefined ? [] : [signatureOf(headers, body, signing)];
  return {
    envelope: envelopeOf(message),
    content: Buffer.from(`${[...signature, ...headers].join('\r\n')}\r\n\r\n${body}`),
  };
}

/** An address that is the same in a header and in the protocol: a dot-atom (RFC 5321, 4.1.2) at a domain in lower case. */
const PLAIN_ADDRESS = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@[a-z\d]+(?:[.-][a-z\d]+)*$/;

function envelopeOf({ to, cc = [], envelopeFrom }: EmailMessage): ComposedMail['envelope'] {
  if (cc.length === 0 && PLAIN_ADDRESS.test(to) && PLAIN_ADDRESS.test(envelopeFrom))
    return { from: envelopeFrom, to: [to] };
  const envelope = fields.setEnvelope({ from: envelopeFrom, to: [to, ...cc] }).getEnvelope();
  return { from: envelope.from || '', to: envelope.to };
}

/** The headers of an e-mail that do not depend on its parts, as lines. */
interface Headers {
  before: string[];
  after: string[];
}

function headersOf(message: EmailMessage): Headers {
  const { messageId, from, to, cc = [], subject, inReplyTo, references, replyTo, unsubscribeUrl } = message;
  return {
    before: [
      ...(message.isAutoReply === true ? ['Auto-Submitted: auto-replied'] : []),
      ...(unsubscribeUrl === undefined
        ? []
        : [textField('List-Unsubscribe', `<${unsubscribeUrl}>`), 'List-Unsubscribe-Post: List-Unsubscribe=One-Click']),
      sharedField(`${from.name ?? ''}\0${from.address}`, 'From', { name: from.name ?? '', address: from.address }),
      PLAIN_ADDRESS.test(to) ? folded(`To: ${to}`) : fieldOf('To', { name: '', address: to }),
      ...(cc.length > 0
        ? [
            fieldOf(
              'Cc',
              cc.map((address) => ({ name: '', address })),
            ),
          ]
        : []),
      ...(replyTo === undefined
        ? []
        : [PLAIN_ADDRESS.test(replyTo) ? folded(`Reply-To: ${replyTo}`) : fieldOf('Reply-To', replyTo)]),
      ...(inReplyTo === undefined
        ? []
        : [fieldOf('In-Reply-To', inReplyTo), fieldOf('References', references ?? inReplyTo)]),
      ...(subject === '' ? [] : [sharedField(subject, 'Subject', subject)]),
      textField('Message-ID', messageId),
    ],
    after: [`Date: ${new Date().toUTCString().replace('GMT', '+0000')}`, 'MIME-Version: 1.0'],
  };
}

type FieldValue = Parameters<typeof fields.encodeHeaderValue>[1];

const folded = (field: string): string => (field.length < MAX_LINE_LENGTH ? field : foldLines(field, MAX_LINE_LENGTH));

const fieldOf = (name: string, value: FieldValue): string =>
  folded(`${name}: ${fields.encodeHeaderValue(name, value)}`);

/** A value in angle brackets that needs no encoding. */
const PLAIN_BRACKETED = /^<[!#-<>-~]+>$/;

const textField = (name: string, value: string): string =>
  PLAIN_BRACKETED.test(value) ? folded(`${name}: ${value}`) : fieldOf(name, value);

const sharedFields = new LRUCache<string, string>({ max: MAX_CACHED_LINES });

/** Returns a field that the e-mails of a batch have in common. `key` stands for the value. */
function sharedField(key: string, name: string, value: FieldValue): string {
  const cacheKey = `${name}\0${key}`;
  const cached = sharedFields.get(cacheKey);
  if (cached !== undefined) return cached;
  const field = fieldOf(name, value);
  sharedFields.set(cacheKey, field);
  return field;
}

/** A text of an e-mail, with its own headers. */
interface Part {
  type: string;
  encoding: string;
  content: string;
}

/** Returns the texts of an e-mail: one of plain text, or the plain form of an HTML and that. Undefined if one is empty. */
function partsOf({ body, isHtml, unsubscribeUrl }: EmailMessage): Part[] | undefined {
  const isMarkup = isHtml ?? looksLikeHtml(body);
  const texts = isMarkup
    ? ([
        ['text/plain', textOfMarkup(body, unsubscribeUrl)],
        ['text/html', body],
      ] as const)
    : ([['text/plain', body]] as const);
  return texts.some(([, text]) => text === '')
    ? undefined
    : texts.map(([type, text]) => partOf(`${type}; charset=utf-8`, text));
}

const LINE_END = /\r\n|\r|\n/g;

const markupTexts = new LRUCache<string, string>({
  maxSize: MAX_CACHED_TEXT_LENGTH,
  sizeCalculation: (text, markup) => text.length + markup.length,
});
const LINK_END = 'a-link-for-unsubscribing';

/**
 * Returns the text of an HTML. It is made once for the e-mails of a batch that differ in their link for unsubscribing alone:
 * from an HTML with another link of the same length, which is nowhere else in it.
 */
function textOfMarkup(markup: string, link = ''): string {
  const otherLink = `${link.slice(0, -LINK_END.length)}${LINK_END}`;
  if (link.length <= LINK_END.length || markup.includes(LINK_END)) return textOfHtml(markup);
  const shared = markup.replaceAll(link, otherLink);
  const text = markupTexts.get(shared) ?? textOfHtml(shared);
  markupTexts.set(shared, text);
  return text.replaceAll(otherLink, () => link);
}

function partOf(type: string, text: string): Part {
  const isPlain = isPlainText(text);
  if (isPlain && !hasLongerLines(text, MAX_LINE_LENGTH))
    return { type, encoding: '7bit', content: text.replace(LINE_END, '\r\n') };
  return (isPlain ? LATIN_LETTER.test(text) : isMostlyLatin(text))
    ? { type, encoding: 'quoted-printable', content: quotedPrintable(text) }
    : { type, encoding: 'base64', content: wrapBase64(encodeBase64(text), MAX_LINE_LENGTH) };
}

const LATIN_LETTER = /[A-Za-z]/;
const LATIN_LETTERS = /[A-Za-z]/g;
/** Control characters but for tabs and ends of lines, and all that is not ASCII. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const OTHER_CHARACTERS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x80-\uffff]/g;

/** Whether quoted-printable suits a text, as nodemailer decides it: base64 is shorter for scripts other than Latin. */
const isMostlyLatin = (text: string): boolean => countOf(text, OTHER_CHARACTERS) < countOf(text, LATIN_LETTERS);

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

const quotedLines = new LRUCache<string, string>({
  maxSize: MAX_CACHED_TEXT_LENGTH,
  sizeCalculation: (quoted, line) => quoted.length + line.length,
});

/** Returns a text as quoted-printable. The lines that the e-mails of a batch have in common are encoded once. */
const quotedPrintable = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => {
      if (line === '') return line;
      const cached = quotedLines.get(line);
      if (cached !== undefined) return cached;
      const quoted = wrapQuoted(encodeQuoted(line), MAX_LINE_LENGTH);
      quotedLines.set(line, quoted);
      return quoted;
    })
    .join('\r\n');

function withParts({ before, after }: Headers, parts: Part[]): { headers: string[]; body: string } {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0)
    return {
      headers: [...before, `Content-Transfer-Encoding: ${first.encoding}`, ...after, `Content-Type: ${first.type}`],
      body: endedLine(first.content),
    };
  const boundary = `--_NmP-${randomBytes(8).toString('hex')}-Part_1`;
  const type = foldLines(`Content-Type: multipart/alternative; boundary="${boundary}"`, MAX_LINE_LENGTH);
  const written = parts.map(
    (part) =>
      `--${boundary}\r\nContent-Type: ${part.type}\r\nContent-Transfer-Encoding: ${part.encoding}\r\n\r\n${part.content}\r\n`,
  );
  return { headers: [...before, ...after, type], body: `${written.join('')}--${boundary}--\r\n` };
}

const endedLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\r\n`);

const privateKeys = new LRUCache<string, KeyObject>({ max: MAX_CACHED_KEYS });

function privateKeyOf({ domain, privateKey }: DkimSigning): KeyObject {
  const cached = privateKeys.get(privateKey);
  if (cached !== undefined) return cached;
  try {
    const key = createPrivateKey(privateKey);
    privateKeys.set(privateKey, key);
    return key;
  } catch (cause) {
    throw new DkimKeyUnusable(domain, { cause });
  }
}

/** Returns the header with the signature. The key is parsed once, which takes as long as a tenth of a signature. */
function signatureOf(headers: string[], body: string, signing: DkimSigning): string {
  const { domain, selector } = signing;
  const lines = headers.map((field) => ({
    key: field.slice(0, field.indexOf(':')).toLowerCase(),
    line: Buffer.from(field).toString('latin1'),
  }));
  const bodyHash = createHash('sha256').update(relaxedBodyOf(body)).digest('base64');
  const signature = sign(lines, 'sha256', bodyHash, {
    domainName: domain,
    keySelector: selector,
    privateKey: privateKeyOf(signing),
    headerFieldNames: DKIM_FIELDS,
  });
  if (signature === false) throw new DkimKeyUnusable(domain);
  return signature;
}

/** The private key for a domain is none that can sign. */
export class DkimKeyUnusable extends Error {
  constructor(domain: string, options?: ErrorOptions) {
    super(`The DKIM key of ${domain} cannot sign`, options);
    this.name = 'DkimKeyUnusable';
  }
}

/** Returns the body in its relaxed canonical form (RFC 6376, 3.4.4). */
function relaxedBodyOf(body: string): string {
  const relaxed = body.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n');
  let end = relaxed.length;
  while (end > 0 && relaxed.startsWith('\r\n', end - 2)) end -= 2;
  return end === 0 ? '' : `${relaxed.slice(0, end)}\r\n`;
}

/** Returns an e-mail as nodemailer takes it. */
export function libraryMailOf(message: EmailMessage, signing: DkimSigning | undefined): SendMailOptions {
  const { messageId, from, to, cc = [], subject, body, isHtml, attachments = [] } = message;
  const { inReplyTo, references, isAutoReply, unsubscribeUrl, envelopeFrom, replyTo } = message;
  return {
    messageId,
    from: { name: from.name ?? '', address: from.address },
    to: { name: '', address: to },
    ...(cc.length > 0 && { cc: cc.map((address) => ({ name: '', address })) }),
    ...(replyTo === undefined ? {} : { replyTo }),
    envelope: { from: envelopeFrom, to: [to, ...cc] },
    subject,
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: references ?? inReplyTo }),
    ...((isHtml ?? looksLikeHtml(body)) ? { html: body, text: textOfHtml(body) } : { text: body }),
    ...(attachments.length > 0 && { attachments: attachments.map(attachmentOf) }),
    ...(signing === undefined
      ? {}
      : {
          dkim: {
            domainName: signing.domain,
            keySelector: signing.selector,
            privateKey: signing.privateKey,
            headerFieldNames: DKIM_FIELDS,
          },
        }),
    headers: {
      ...(isAutoReply === true && { 'Auto-Submitted': 'auto-replied' }),
      ...(unsubscribeUrl !== undefined && {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  };
}

const attachmentOf = ({ name, mimeType, bytes }: MailFile) => ({
  filename: name,
  contentType: mimeType,
  content: bytes,
  contentDisposition: 'attachment' as const,
});
