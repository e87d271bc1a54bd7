import { Parser, Tokenizer } from 'htmlparser2';
import { withoutEdges } from '../text/edges.rules.ts';
import { BLOCKS, HIDDEN, LISTS, layoutOf } from './layout.rules.ts';

/** Far more than gives the longest text that is stored. A longer document ends with an ellipsis. */
const MAX_CHARACTERS = 1_000_000;
/** Browsers lay out twice as many levels. In deeper markup, a parser takes time by the square of the depth. */
const MAX_DEPTH = 256;

const LINES = new Set([...BLOCKS, ...LISTS].concat('blockquote br div h1 h2 h3 h4 h5 h6 hr li p pre tr'.split(' ')));
const CELLS = new Set(['td', 'th']);
/** The parser here closes these for the next one of their kind. That of the converter keeps them open. */
const KEPT_OPEN = new Set('a form h1 h2 h3 h4 h5 h6'.split(' '));
const UNREAD = new Set([...HIDDEN, 'script', 'style']);

/**
 * Returns the text of an HTML document as mail programs show it: with the lines of its blocks, the cells of a row apart,
 * the addresses of links in angle brackets, and quotations marked with `> ` once for each level. Reads the first 1,000,000
 * characters, in time proportional to their number.
 */
export function textOfHtml(html: string): string {
  const read = html.slice(0, MAX_CHARACTERS);
  const text = tidied(isDeep(read) ? plainTextOf(read) : layoutOf(read));
  return read.length < html.length ? `${text}…` : text;
}

function isDeep(html: string): boolean {
  let depth = 0;
  let isFound = false;
  const parser = new Parser({
    onopentagname() {
      if (++depth <= MAX_DEPTH) return;
      isFound = true;
      parser.pause();
    },
    onclosetag(name, isImplied) {
      if (!(isImplied && KEPT_OPEN.has(name))) depth--;
    },
  });
  parser.write(html);
  return isFound;
}

/** Returns the texts of a document, each block in a line of its own. */
function plainTextOf(html: string): string {
  const parts: string[] = [];
  let isRead = true;
  const nothing = () => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => void (isRead && parts.push(html.slice(start, end).replace(/\s+/g, ' '))),
      ontextentity: (codePoint) => void (isRead && parts.push(String.fromCodePoint(codePoint))),
      onopentagname(start, end) {
        const name = html.slice(start, end).toLowerCase();
        isRead = !UNREAD.has(name);
        parts.push(LINES.has(name) ? '\n' : CELLS.has(name) ? ' ' : '');
      },
      onclosetag(start, end) {
        isRead = true;
        parts.push(LINES.has(html.slice(start, end).toLowerCase()) ? '\n' : '');
      },
      onopentagend: nothing,
      onselfclosingtag: nothing,
      onattribname: nothing,
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return parts
    .join('')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n');
}

/** Removes what no reader sees, and gives the separator of a signature back the space that HTML does not show. */
const tidied = (text: string): string =>
  withoutEdges(
    text
      .toWellFormed()
      .replaceAll('\u00a0', ' ')
      .replace(/(?<=[^ \t\r\f\v]|^)[ \t\r\f\v]+$/gm, '')
      .replace(/^((?:> )*--)$/gm, '$1 ')
      .replace(/\n{3,}/g, '\n\n'),
    '\n',
  );
