import type { SessionChannel } from '../../schemas/parts.ts';
import { headerLinesAt, isForwarded, isQuoted, nextFilled } from './quotations.rules.ts';
import { type LineParser, lineParser } from './reply-parser.rules.ts';
import { DELIMITER, isSignatureAt, postscriptAfter } from './signatures.rules.ts';

/** The beginning of the subject of a forwarded e-mail, in the words of mail programs. */
const FORWARD = /^\s*(?:fwd?|wg|tr|rv|i|enc|doorst|vb|vl|pd|πρθ|пересл|转发|轉寄)\s?[:：]/iu;

/** Returns whether an e-mail with this subject is a forwarded one. Its quotations are found nowhere else. */
export const isForward = (subject: string | undefined): boolean => subject !== undefined && FORWARD.test(subject);

/**
 * Returns the own words of a contact's message if they are not its whole text. Only those of e-mails differ: on the other
 * channels no program quotes or signs. All of a forwarded e-mail counts.
 */
export function ownWordsIn(
  channel: SessionChannel,
  text: string,
  { isForwarded: isWhole = false }: { isForwarded?: boolean | undefined } = {},
): string | undefined {
  if (channel !== 'email' || isWhole) return undefined;
  const own = ownWordsOf(text);
  return own === text ? undefined : own;
}

/**
 * Returns the author's own words in a message: without quotations of earlier messages and without the signature.
 * Forwarded text counts, as it is found nowhere else. If nothing is left, the whole text counts.
 */
export function ownWordsOf(text: string): string {
  const raw = text.split(/\r\n?|\n/);
  const lines = raw.map((line) => (line === DELIMITER ? line : line.trim()));
  const forwarded = placeOr(lines.length, lines.findIndex(isForwarded));
  const { kept, isCutOff } = withoutQuotations(lines.slice(0, forwarded), lineParser());
  const places = isCutOff ? kept : [...kept, ...placesFrom(forwarded, lines.length)];
  if (places.length === lines.length) return text;
  const own = places
    .map((index) => raw[index]?.trimEnd())
    .join('\n')
    .trim();
  return own === '' ? text : own;
}

/** Returns the places of the lines of a reply. `isCutOff`: a quotation without marks reaches to the end. */
function withoutQuotations(lines: string[], parser: LineParser): { kept: number[]; isCutOff: boolean } {
  const kept: number[] = [];
  let isCutOff = false;
  for (let at = 0; at < lines.length; at++) {
    if (isQuoted(lines[at])) continue;
    const header = headerLinesAt(lines, at, parser);
    if (header === 0) kept.push(at);
    else if (isQuoted(lines[nextFilled(lines, at + header)])) at += header - 1;
    else {
      isCutOff = true;
      break;
    }
  }
  return { kept: withoutSignature(lines, kept, parser), isCutOff };
}

function withoutSignature(lines: string[], kept: number[], parser: LineParser): number[] {
  const own = kept.map((index) => lines[index] ?? '');
  const signature = own.findIndex((_line, at) => isSignatureAt(own, at, parser));
  if (signature === -1) return kept;
  return [...kept.slice(0, signature), ...kept.slice(postscriptAfter(own, signature))];
}

const placeOr = (end: number, index: number): number => (index === -1 ? end : index);

const placesFrom = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_nothing, nth) => start + nth);
