import type { AddressObject, EmailAddress, HeaderLines, Headers, HeaderValue } from 'mailparser';
import { storable, truncated } from '../../providers/storable.rules.ts';
import { type AuthenticationFields, authenticationFieldsOf } from './authentication-results.rules.ts';
import { isAutomatedMail, isAutomaticMail, isAutomaticReply } from './automatic-mail.rules.ts';
import { type RecipientReport, recipientReports } from './bounces.rules.ts';
import { sanitizedHtml } from './html.rules.ts';
import { invitationsOnce } from './invitations.rules.ts';
import { idsIn, threadBefore } from './message-ids.rules.ts';
import { type MimePart, textOfPart } from './mime.rules.ts';
import type { MimeFile, ParsedMime } from './mime.ts';

/** The parts of an e-mail used for its classification. */
export interface ParsedEmail {
  messageId: string | undefined;
  /** In lower case. */
  from: string | undefined;
  /** The name that its sender shows, if it has an address. */
  fromName: string | undefined;
  /** The only address that its sender wants answers at, in lower case, if it is another one. */
  replyTo: string | undefined;
  /** The addresses that it is for: To and Cc, in lower case, each once. */
  recipients: string[];
  /** The addresses that servers on its way have noted, in lower case. */
  deliveredTo: string[];
  /** The envelope sender that a server has noted, in lower case; empty for one that takes no answer. */
  returnPath: string | undefined;
  /** The Message-IDs it replies to, nearest first. */
  answers: string[];
  /** The Message-IDs of its thread before it, the first one first. */
  thread: string[];
  /** In one line. Undefined if there is none. */
  subject: string | undefined;
  /** Whether it declares an automatic origin (RFC 3834). */
  isAutomatic: boolean;
  /** Whether it declares that a program wrote it in answer to another e-mail. */
  isAutomaticReply: boolean;
  authentication: AuthenticationFields;
  /** How many servers have passed it on (RFC 5321, 4.4). */
  hops: number;
  /** Whether a program must not answer it. */
  isAutomated: boolean;
  /** Whether it is a report of a delivery status, a read receipt or a complaint (RFC 6522). */
  isReport: boolean;
  /** Its reports about deliveries; undefined if it has none. */
  reports: RecipientReport[] | undefined;
  body: string;
  /** Its HTML without what could run or load anything. Undefined if it has none. */
  html: string | undefined;
  /** Whether it has more text than was read. */
  isCut: boolean;
  files: MailFile[];
}

/** A file attached to an e-mail, or shown in its text. */
export interface MailFile {
  name: string | undefined;
  /** All of it, unless it is in a file or too large. */
  content: Uint8Array;
  /** The temporary file that has it. */
  file?: { path: string; sha256: string } | undefined;
  size: number;
}

const MAX_ID_LENGTH = 255;
const MAX_ADDRESS_LENGTH = 254;
const MAX_NAME_LENGTH = 200;
const MAX_SUBJECT_LENGTH = 500;
const MAX_BODY_LENGTH = 65_536;
const MAX_ANSWERS = 20;
const MAX_RECIPIENTS = 50;
/** In ASCII, without quotation: what any mail server takes. */
const EMAIL_ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d.-]+\.[a-z\d-]{2,}$/i;
/** In any script, without quotation: what an answer can be sent to. */
const SENDER_ADDRESS = /^[^\s@()<>,;:"[\]\\]{1,64}@[^\s@()<>,;:"[\]\\]{1,253}$/u;
const COMMENT = /\([^()]*\)/g;
const MAX_FIELD_CHARACTERS = 8_192;
/** What is quoted is a name, and never the address that is authenticated. */
const QUOTED = /"[^"]*"/g;
const MAX_COMMENT_DEPTH = 5;
const SIGNATURE = /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/;
const DELIVERY_STATUS = /^message\/(?:global-)?delivery-status$/;

/** Extracts the relevant parts of a parsed e-mail. Pure, with bounded results for any input. */
export function parsedEmailOf(parsed: ParsedMime): ParsedEmail {
  const { headers, headerLines } = parsed;
  const [sender] = addressesIn(headers, 'from');
  const from = senderAddressOf(sender, headerLines);
  return {
    messageId: ifWithin(MAX_ID_LENGTH, idsIn(headerLines, 'message-id')[0] ?? fieldOf(headers, 'message-id')),
    from,
    fromName:
      from === undefined || from !== addressOf(sender) ? undefined : inOneLine(sender?.name ?? '', MAX_NAME_LENGTH),
    replyTo: replyToOf(headers, from),
    recipients: addressesOf(headers, ['to', 'cc']),
    deliveredTo: addressesOf(headers, ['delivered-to', 'x-original-to', 'envelope-to']),
    returnPath: returnPathOf(headers),
    answers: answersOf(headers),
    thread: threadBefore(headerLines),
    subject: inOneLine(fieldOf(headers, 'subject') ?? '', MAX_SUBJECT_LENGTH),
    isAutomatic: isAutomaticMail(headers),
    isAutomaticReply: isAutomaticReply(headers),
    authentication: authenticationFieldsOf(headerLines),
    hops: headerLines.filter(({ key }) => key === 'received').length,
    isAutomated: isAutomatedMail(headers),
    isReport: isReport(parsed),
    reports: isReport(parsed) ? reportsOf(parsed) : undefined,
    body: bodyOf(parsed),
    html: htmlOf(parsed.root),
    isCut: parsed.isCut,
    files: filesOf(parsed),
  };
}

function fieldOf(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  return typeof value === 'string' ? value : undefined;
}

const addressesIn = (headers: Headers, name: string): EmailAddress[] => {
  const value = headers.get(name);
  return isAddresses(value) ? value.value : [];
};

function returnPathOf(headers: Headers): string | undefined {
  if (!headers.has('return-path')) return undefined;
  return addressesOf(headers, ['return-path'])[0] ?? '';
}

/** Returns the addresses in fields, without those that no mail can be sent to. */
function addressesOf(headers: Headers, names: string[]): string[] {
  const addresses = names.flatMap((name) => [
    ...addressesIn(headers, name).flatMap((one) => [one, ...(one.group ?? [])]),
    ...[headers.get(name) ?? []]
      .flat()
      .flatMap((value) => (typeof value === 'string' ? { address: value.replace(/^\s*<|>\s*$/g, '').trim() } : [])),
  ]);
  const found = addresses.flatMap((one) => addressOf(one) ?? []).filter(isEmailAddress);
  return [...new Set(found)].slice(0, MAX_RECIPIENTS);
}

const isAddresses = (value: HeaderValue | undefined): value is AddressObject =>
  typeof value === 'object' && 'value' in value && Array.isArray(value.value);

const addressOf = (sender: Pick<EmailAddress, 'address'> | undefined) =>
  ifWithin(MAX_ADDRESS_LENGTH, sender?.address?.toLowerCase());

/**
 * Returns the address of a sender, in lower case. The parser takes parts of comments within an address for the address
 * (mailparser 3.9.31, on the example of RFC 5322, A.5): such a field is read again without its comments.
 */
function senderAddressOf(
  sender: Pick<EmailAddress, 'address'> | undefined,
  headerLines: HeaderLines,
): string | undefined {
  const address = addressOf(sender);
  if (address === undefined || SENDER_ADDRESS.test(address)) return address;
  let field = (headerLines.findLast(({ key }) => key === 'from')?.line ?? '').slice(0, MAX_FIELD_CHARACTERS);
  field = field.replace(QUOTED, '');
  for (let depth = 0; depth < MAX_COMMENT_DEPTH; depth++) field = field.replace(COMMENT, '');
  const found = Array.from(field.matchAll(/<([^<>]*)>/g), ([, inside = '']) => inside.replace(/\s/g, '').toLowerCase());
  const [only, ...others] = found.filter((inside) => inside.includes('@'));
  return others.length === 0 && only !== undefined && SENDER_ADDRESS.test(only) ? only : undefined;
}

/** Returns undefined for several addresses: an answer has one. */
function replyToOf(headers: Headers, from: string | undefined): string | undefined {
  const [only, ...others] = addressesIn(headers, 'reply-to');
  const address = others.length === 0 ? addressOf(only) : undefined;
  return address !== undefined && address !== from && isEmailAddress(address) ? address : undefined;
}

const isEmailAddress = (text: string): boolean => EMAIL_ADDRESS.test(text);

function answersOf(headers: Headers): string[] {
  const references = headers.get('references');
  const nearestFirst =
    typeof references === 'string' ? [references] : isTexts(references) ? references.toReversed() : [];
  return [fieldOf(headers, 'in-reply-to') ?? [], nearestFirst].flat().slice(0, MAX_ANSWERS);
}

const isTexts = (value: HeaderValue | undefined): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** Returns a text in one line: an encoded one may have line ends, or begin another header. */
const inOneLine = (text: string, maxLength: number): string | undefined =>
  truncated(
    storable(text)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    maxLength,
  ) || undefined;

const isReport = ({ root }: ParsedMime) => root.type === 'multipart/report';

function reportsOf({ files }: ParsedMime): RecipientReport[] | undefined {
  const part = files.find(({ contentType }) => DELIVERY_STATUS.test(contentType));
  const reports = recipientReports(part?.content.toString('utf8') ?? '');
  return reports.length === 0 ? undefined : reports;
}

/** Returns the attached files without signatures of the e-mail itself, which mail programs add and verify. */
const filesOf = ({ files }: ParsedMime): MailFile[] =>
  invitationsOnce(files.filter(({ contentType }: MimeFile) => !SIGNATURE.test(contentType))).map(
    ({ name, content, file, size }) => ({ name: ifWithin(MAX_ID_LENGTH, name), content, file, size }),
  );

/** Returns the text with its quotations. At most 64 Ki characters: a longer text ends with an ellipsis. */
function bodyOf({ root }: ParsedMime): string {
  const body = storable(textOfPart(root, MAX_BODY_LENGTH));
  return body.length <= MAX_BODY_LENGTH ? body : `${truncated(body, MAX_BODY_LENGTH - 1)}…`;
}

/** Returns the HTML of an e-mail. Undefined if it is plain text only. */
function htmlOf(root: MimePart): string | undefined {
  const parts = htmlsIn(root);
  return parts.length === 0 ? undefined : storable(sanitizedHtml(parts.join('\n')));
}

const htmlsIn = ({ type, text, parts }: MimePart): string[] => [
  ...(type === 'text/html' && text !== '' ? [text] : []),
  ...parts.flatMap(htmlsIn),
];

const ifWithin = (limit: number, text: string | undefined) =>
  text === undefined || text === '' || text.length > limit ? undefined : storable(text);
