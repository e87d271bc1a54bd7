import type { Headers, HeaderValue } from 'mailparser';
import { textOfHtml } from '../../html/text.rules.ts';
import { withoutEdges } from '../../text/edges.rules.ts';

/** A part of an e-mail, with its text if it has one to show. */
export interface MimePart {
  type: string;
  text: string;
  /** Of a message within the message. */
  headers: Headers | undefined;
  parts: MimePart[];
}

/** Where a part is, and what its header says. */
export interface PartPosition {
  type: string;
  isRoot: boolean;
  /** Whether only containers are before it. */
  isFirst: boolean;
  /** Whether it is one of several forms of the same content (RFC 2046, 5.1.4). */
  isAlternative: boolean;
  isNamed: boolean;
  hasDisposition: boolean;
}

/** Returns how much is read of the texts of a type in an e-mail. HTML has more besides its text. */
export const maxTextBytes = (type: string): number => (type === 'text/html' ? 4 : 1) * 1024 ** 2;

const TEXT_TYPES = ['text/plain', 'text/html'];
const MESSAGE_FIELDS = ['From', 'Subject', 'Date', 'To', 'Cc'];
/** What a mail program writes above a message that it passes on. */
const FORWARDED = '---------- Forwarded message ----------';

/**
 * Returns whether a text is a file that its sender wants shown. Some programs name the text of the message itself: it
 * comes first, without a disposition.
 */
export const isNamedFile = ({ type, isRoot, isFirst, isAlternative, isNamed, hasDisposition }: PartPosition): boolean =>
  TEXT_TYPES.includes(type) && isNamed && !isRoot && !isAlternative && (!isFirst || hasDisposition);

/** Returns whether a part only says once more what the text says, such as the form for watches. An invitation is a file. */
export const isOtherForm = ({ type, isAlternative, isNamed, hasDisposition }: PartPosition): boolean =>
  isAlternative &&
  !isNamed &&
  !hasDisposition &&
  /^text\//.test(type) &&
  type !== 'text/calendar' &&
  !TEXT_TYPES.includes(type);

/** Returns the text of an e-mail with its parts in their order, up to one more than `maxLength` characters. */
export function textOfPart(part: MimePart, maxLength: number): string {
  const texts: string[] = [];
  let length = 0;
  for (const text of textsIn(part)) {
    texts.push(text);
    length += text.length;
    if (length > maxLength) break;
  }
  return joined(texts);
}

/** Joins texts by empty lines. A single one stays as it is. */
const joined = (texts: string[]): string =>
  texts.length <= 1 ? (texts[0] ?? '') : texts.map((text) => withoutEdges(text, '\n')).join('\n\n');

function* textsIn(part: MimePart): Generator<string> {
  if (part.headers !== undefined) yield headerText(part.headers);
  const text = part.type === 'text/html' ? textOfHtml(part.text) : part.text;
  if (text.trim() !== '') yield text;
  if (part.type === 'multipart/alternative') yield* bestOf(part.parts);
  else for (const each of part.parts) yield* textsIn(each);
}

/** Yields the text of the first plain form that has one, else of the last other form that has one. */
function* bestOf(forms: MimePart[]): Generator<string> {
  const plain = forms.filter((form) => !hasHtml(form));
  const others = forms.filter(hasHtml).reverse();
  for (const form of [...plain, ...others]) {
    const text = joined([...textsIn(form)]);
    if (text.trim() === '') continue;
    yield text;
    return;
  }
}

const hasHtml = ({ type, parts }: MimePart): boolean => type === 'text/html' || parts.some(hasHtml);

function headerText(headers: Headers): string {
  const fields = MESSAGE_FIELDS.flatMap((name) => {
    const value = fieldText(headers.get(name.toLowerCase()));
    return value === '' ? [] : `${name}: ${value}`;
  });
  return [FORWARDED, ...fields].join('\n');
}

function fieldText(value: HeaderValue | undefined): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toUTCString();
  return value !== undefined && 'text' in value ? value.text : '';
}
