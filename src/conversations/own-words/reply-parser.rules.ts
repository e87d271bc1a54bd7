import ReplyParser from 'email-reply-parser';

/** The patterns of the parser take more than square time: it never gets more than this. */
const MAX_HEADER_CHARACTERS = 240;
const MAX_SIGNATURE_CHARACTERS = 100;
/** How often one message may ask the parser. Nobody writes so many lines in the form of a header or a signature. */
const MAX_HEADERS = 60;
const MAX_SIGNATURES = 200;

/** The reply parser's results for single lines of one message. */
export interface LineParser {
  /** Returns whether the lines introduce a quotation. */
  isHeader(lines: readonly string[]): boolean;
  /** Returns whether the line begins a signature. */
  isSignature(line: string): boolean;
}

/**
 * Returns a parser for the lines of one message. It asks the reply parser about a few short lines at a time: on a whole
 * text its patterns take minutes, and join unrelated paragraphs.
 */
export function lineParser(): LineParser {
  let headers = 0;
  let signatures = 0;
  return {
    isHeader(lines) {
      const text = lines.join('\n');
      return text.length <= MAX_HEADER_CHARACTERS && headers++ < MAX_HEADERS && isQuotationHeader(text);
    },
    isSignature: (line) =>
      line.length <= MAX_SIGNATURE_CHARACTERS && signatures++ < MAX_SIGNATURES && isSignatureLine(line),
  };
}

/** The parser takes a header for one only after an empty line, and joins its lines. */
function isQuotationHeader(header: string): boolean {
  const fragment = new ReplyParser().read(`.\n\n${header}`).getFragments().at(-1);
  return fragment?.isQuoted() === true && fragment.getContent().trim() === header.replaceAll('\n', ' ');
}

/** The parser takes a line for a signature only below another one. */
const isSignatureLine = (line: string): boolean =>
  new ReplyParser().read(`.\n${line}`).getFragments().at(-1)?.isSignature() === true;
