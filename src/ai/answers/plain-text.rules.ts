import MarkdownIt, { type Token } from 'markdown-it';

const markdownIt = new MarkdownIt({ html: false });

/** A line or a paragraph. Rows of lists and tables follow one another without a gap. */
interface Piece {
  text: string;
  isRow: boolean;
}

/** Returns Markdown as text without its signs. Of links and images the words stay, of lists the numbers and dashes. */
export function plainTextOf(markdown: string): string {
  const pieces: Piece[] = [];
  let mark = '';
  let isRow = false;
  let cells: string[] | undefined;
  for (const token of markdownIt.parse(markdown, {})) {
    switch (token.type) {
      case 'list_item_open':
        mark = token.info === '' ? '- ' : `${token.info}${token.markup} `;
        isRow = true;
        break;
      case 'bullet_list_close':
      case 'ordered_list_close':
        isRow = false;
        break;
      case 'tr_open':
        cells = [];
        break;
      case 'tr_close':
        pieces.push({ text: cells?.join(' | ') ?? '', isRow: true });
        cells = undefined;
        break;
      case 'inline':
        if (cells === undefined) pieces.push({ text: `${mark}${wordsOf(token)}`, isRow });
        else cells.push(wordsOf(token));
        mark = '';
        break;
      case 'fence':
      case 'code_block':
        pieces.push({ text: token.content.trimEnd(), isRow: false });
    }
  }
  return joined(pieces);
}

function wordsOf({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? '\n' : content))
    .join('');
}

const joined = (pieces: Piece[]): string =>
  pieces
    .map(({ text, isRow }, n) => (n === 0 ? text : `${isRow && pieces[n - 1]?.isRow ? '\n' : '\n\n'}${text}`))
    .join('');
