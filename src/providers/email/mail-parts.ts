import { LRUCache } from 'lru-cache';
import { encode as encodeBase64, wrap as wrapBase64 } from 'nodemailer/lib/base64';
import { hasLongerLines, isPlainText } from 'nodemailer/lib/mime-funcs';
import { encode as encodeQuoted, wrap as wrapQuoted } from 'nodemailer/lib/qp';
import { looksLikeHtml } from '../../html/markup.rules.ts';
import { textOfHtml } from '../../html/text.rules.ts';
import type { EmailMessage } from './port.ts';

export const MAX_LINE_LENGTH = 76;
const MAX_CACHED_TEXT_LENGTH = 2_000_000;

/** A text of an e-mail, with its own headers. */
export interface Part {
  type: string;
  encoding: string;
  content: string;
}

/** Returns the texts of an e-mail: one of plain text, or the plain form of an HTML and that. Undefined if one is empty. */
export function partsOf({ body, isHtml, unsubscribeUrl }: EmailMessage): Part[] | undefined {
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
  memoMethod: textOfHtml,
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
  return markupTexts.memo(shared).replaceAll(otherLink, () => link);
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
  memoMethod: (line) => wrapQuoted(encodeQuoted(line), MAX_LINE_LENGTH),
  maxSize: MAX_CACHED_TEXT_LENGTH,
  sizeCalculation: (quoted, line) => quoted.length + line.length,
});

/** Returns a text as quoted-printable. The lines that the e-mails of a batch have in common are encoded once. */
const quotedPrintable = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => (line === '' ? line : quotedLines.memo(line)))
    .join('\r\n');
