import type { HeaderLines } from 'mailparser';

/** In the field of an answer, by the usual bound of news (RFC 5537, 3.4.4): the first one and the last ones. */
const MAX_REFERENCES = 20;
const MAX_FIELD_CHARACTERS = 65_536;
/** A Message-ID in ASCII (RFC 5322, 3.6.4), short enough for a line of a header. */
const MESSAGE_ID = /^<[!-;=?-~]{1,253}>$/;

/** Whether the text can name an e-mail in a header. The id of an e-mail without a Message-ID is ours, and cannot. */
export const isMessageId = (text: string): boolean => MESSAGE_ID.test(text);

/** Returns the ids in a field, without comments and phrases (RFC 5322, 3.6.4). */
export function idsIn(lines: HeaderLines, field: string): string[] {
  const found = lines.findLast(({ key }) => key === field)?.line ?? '';
  const text = found.slice(0, MAX_FIELD_CHARACTERS).replace(/\([^()]*\)/g, ' ');
  return Array.from(text.matchAll(/<[^<>\s]+>/g), ([id]) => id);
}

/** Returns the ids of the thread up to an e-mail, without its own: those that it refers to, else the one that it answers. */
export function threadBefore(lines: HeaderLines): string[] {
  const references = idsIn(lines, 'references');
  const answered = idsIn(lines, 'in-reply-to');
  const ids = references.length > 0 ? references : answered.length === 1 ? answered : [];
  return bounded(ids.filter(isMessageId));
}

/** Returns the ids that an answer refers to (RFC 5322, 3.6.4). */
export const referencesTo = (thread: readonly string[], messageId: string): string[] =>
  bounded([...thread.filter((id) => id !== messageId), messageId]);

const bounded = (ids: string[]): string[] => {
  const unique = [...new Set(ids)];
  return unique.length <= MAX_REFERENCES ? unique : [...unique.slice(0, 1), ...unique.slice(1 - MAX_REFERENCES)];
};
