import { chooseContent } from '../../src/extraction/content.ts';
import { BLOCK_ELEMENTS, type Element, parseHtml } from '../../src/extraction/tree.ts';

const CELLS = new Set(['td', 'th']);

/** Returns the text of a page's main content, one line per block. */
export function pageTextOf(html: string, url: string): string {
  const { content, isKept } = chooseContent(parseHtml(html), url);
  const lines: string[] = [];
  let line = '';
  const flush = () => {
    const text = line.replace(/\s+/g, ' ').trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  const write = (text: string, isPre: boolean) => {
    const [first = '', ...others] = isPre ? text.split('\n') : [text];
    line += first;
    for (const other of others) {
      flush();
      line = other;
    }
  };
  const separate = ({ name }: Element) => {
    if (CELLS.has(name)) line += ' ';
    else if (name === 'br' || BLOCK_ELEMENTS.has(name)) flush();
  };
  const walk = (element: Element, isPre: boolean) => {
    for (const child of element.children) {
      if (typeof child === 'string') write(child, isPre);
      else if (isKept(child)) {
        separate(child);
        walk(child, isPre || child.name === 'pre');
        separate(child);
      }
    }
  };
  walk(content, content.name === 'pre');
  flush();
  return lines.join('\n');
}
