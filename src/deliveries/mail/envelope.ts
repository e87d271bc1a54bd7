import { parseMime } from './mime.ts';
import { parsedEmailOf } from './parsed-mail.rules.ts';
import type { RawMail } from './raw-mail.ts';

/** More than the header of any real e-mail. */
const MAX_HEADER_BYTES = 262_144;
/** A header field, or the line that a file of e-mails (RFC 4155) has before each. */
const FIRST_LINE = /^(?:[\w-]{1,100}[ \t]{0,9}:|From )/;

export interface Envelope {
  /** Empty for a mail that takes no answer, undefined for one that names no sender. */
  mailFrom: string | undefined;
  /** Those that servers have noted come first. */
  addresses: string[];
}

/** Returns at least as many bytes as a header has. */
async function beginningOf(mail: RawMail): Promise<Buffer> {
  for await (const part of mail.parts()) return part;
  return Buffer.alloc(0);
}

/** Reads who sent an e-mail, and whom it is for, from its header alone. Returns undefined if it does not begin with one. */
export async function readEnvelope(mail: RawMail): Promise<Envelope | undefined> {
  const raw = await beginningOf(mail);
  const text = raw.subarray(0, MAX_HEADER_BYTES).toString('latin1');
  if (!FIRST_LINE.test(text)) return undefined;
  const end = /\r?\n\r?\n/.exec(text);
  const header = raw.subarray(0, end === null ? MAX_HEADER_BYTES : end.index);
  const parsed = await parseMime(Buffer.concat([header, Buffer.from('\r\n\r\n')])).catch(() => undefined);
  if (parsed === undefined) return undefined;
  const { from, returnPath, deliveredTo, recipients } = parsedEmailOf(parsed);
  return { mailFrom: returnPath ?? from, addresses: [...new Set([...deliveredTo, ...recipients])] };
}
