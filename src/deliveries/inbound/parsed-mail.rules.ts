import type { ParsedMail, StructuredHeader } from 'mailparser';
import { storable, truncated } from '../../providers/storable.rules.ts';
import { isAutomatedMail, isAutomaticMail } from './automatic-mail.rules.ts';
import { type RecipientReport, recipientReports } from './bounces.rules.ts';
import { textOfHtml } from './html.rules.ts';

/** The parts of an e-mail used for its classification. */
export interface ParsedEmail {
  messageId: string | undefined;
  /** In lower case. */
  from: string | undefined;
  /** The Message-IDs it replies to, nearest first. */
  answers: string[];
  /** In one line. Undefined if there is none. */
  subject: string | undefined;
  /** Whether it declares an automatic origin (RFC 3834). */
  isAutomatic: boolean;
  /** Whether a program must not answer it. */
  isAutomated: boolean;
  /** Whether it is a report of a delivery status, a read receipt or a complaint (RFC 6522). */
  isReport: boolean;
  /** Its reports about deliveries; undefined if it has none. */
  reports: RecipientReport[] | undefined;
  body: string;
  files: MailFile[];
}

/** A file attached to an e-mail, or shown in its text. */
export interface MailFile {
  name: string | undefined;
  content: Uint8Array;
}

const MAX_ID_LENGTH = 255;
const MAX_ADDRESS_LENGTH = 254;
const MAX_SUBJECT_LENGTH = 500;
const MAX_BODY_LENGTH = 65_536;
/** Far more than gives a body of that length. */
const MAX_HTML_CHARACTERS = 1_000_000;
const MAX_ANSWERS = 20;
const SIGNATURE = /^application\/(?:x-)?(?:pkcs7|pgp)-signature$/;
const DELIVERY_STATUS = /^message\/(?:global-)?delivery-status$/;

/** Extracts the relevant parts of a parsed e-mail. Pure, with bounded results for any input. */
export function parsedEmailOf(parsed: ParsedMail): ParsedEmail {
  return {
    messageId: ifWithin(MAX_ID_LENGTH, parsed.messageId),
    from: ifWithin(MAX_ADDRESS_LENGTH, parsed.from?.value[0]?.address?.toLowerCase()),
    answers: [parsed.inReplyTo ?? [], [parsed.references ?? []].flat().reverse()].flat().slice(0, MAX_ANSWERS),
    subject: subjectOf(parsed),
    isAutomatic: isAutomaticMail(parsed.headers),
    isAutomated: isAutomatedMail(parsed.headers),
    isReport: isReport(parsed),
    reports: isReport(parsed) ? reportsOf(parsed) : undefined,
    body: bodyOf(parsed),
    files: filesOf(parsed),
  };
}

/** Returns the subject in one line: an encoded one may have line ends, or begin another header. */
const subjectOf = ({ subject = '' }: ParsedMail): string | undefined =>
  truncated(
    storable(subject)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    MAX_SUBJECT_LENGTH,
  ) || undefined;

const isReport = ({ headers }: ParsedMail) =>
  (headers.get('content-type') as StructuredHeader | undefined)?.value.toLowerCase() === 'multipart/report';

function reportsOf({ attachments }: ParsedMail): RecipientReport[] | undefined {
  const part = attachments.find(({ contentType }) => DELIVERY_STATUS.test(contentType));
  const reports = recipientReports(part?.content.toString('utf8') ?? '');
  return reports.length === 0 ? undefined : reports;
}

/** Returns the attached files without signatures of the e-mail itself, which mail programs add and verify. */
const filesOf = ({ attachments }: ParsedMail): MailFile[] =>
  attachments
    .filter(({ contentType }) => !SIGNATURE.test(contentType))
    .map(({ filename, content }) => ({ name: ifWithin(MAX_ID_LENGTH, filename), content }));

/**
 * Returns the text with its quotations. For an e-mail with only HTML, returns the text without tags. At most 64 Ki
 * characters: a longer text ends with an ellipsis.
 */
function bodyOf({ text = '', html }: ParsedMail): string {
  const isHtml = text.trim() === '' && typeof html === 'string';
  const body = storable(isHtml ? textOfHtml(html.slice(0, MAX_HTML_CHARACTERS)) : text);
  const isWhole = body.length <= MAX_BODY_LENGTH && !(isHtml && html.length > MAX_HTML_CHARACTERS);
  return isWhole ? body : `${truncated(body, MAX_BODY_LENGTH - 1)}…`;
}

const ifWithin = (limit: number, text: string | undefined) =>
  text === undefined || text === '' || text.length > limit ? undefined : storable(text);
