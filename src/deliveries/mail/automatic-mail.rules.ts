/** The header fields of an e-mail, by their names in lower case, as the parser of e-mails gives them. */
export type MailHeaders = ReadonlyMap<string, unknown>;

const MAX_FIELD_CHARACTERS = 1_000;
/** The values of X-Auto-Response-Suppress that ask for no automatic answer. The others only ask for no reports. */
const SUPPRESSING = new Set(['all', 'autoreply', 'oof']);

/** Returns whether an e-mail declares an automatic origin (RFC 3834, and the fields in use before it). */
export function isAutomaticMail(headers: MailHeaders): boolean {
  const says = (name: string) => !/^(?:no\b|$)/i.test(fieldOf(headers, name));
  return (
    ['auto-submitted', 'x-autoreply', 'x-autorespond'].some(says) ||
    /^(?:bulk|junk|auto_reply)\b/i.test(fieldOf(headers, 'precedence'))
  );
}

/**
 * Returns whether an e-mail is a program's answer to another one, such as a notice of absence (RFC 3834, 5). One that a
 * program sent by itself is none.
 */
export const isAutomaticReply = (headers: MailHeaders): boolean =>
  /^auto-replied\b/i.test(fieldOf(headers, 'auto-submitted')) ||
  /^auto_reply\b/i.test(fieldOf(headers, 'precedence')) ||
  ['x-autoreply', 'x-autorespond'].some((name) => !/^(?:no\b|$)/i.test(fieldOf(headers, name)));

/**
 * Returns whether a program must not answer an e-mail: it has an automatic origin, comes from a mailing list, or its
 * sender asks for no automatic answers. A person may have written the last two.
 */
export const isAutomatedMail = (headers: MailHeaders): boolean =>
  isAutomaticMail(headers) ||
  isOfMailingList(headers) ||
  /^list\b/i.test(fieldOf(headers, 'precedence')) ||
  fieldOf(headers, 'x-auto-response-suppress')
    .toLowerCase()
    .split(/[\s,;]/)
    .some((value) => SUPPRESSING.has(value));

/** Every mailing list has an id (RFC 2919). The parser gathers the fields of lists (RFC 2369) under one name. */
function isOfMailingList(headers: MailHeaders): boolean {
  const list = headers.get('list');
  return typeof list === 'object' && list !== null && ('id' in list || 'post' in list);
}

const fieldOf = (headers: MailHeaders, name: string): string =>
  [headers.get(name) ?? ''].flat().join(' ').trim().slice(0, MAX_FIELD_CHARACTERS);
