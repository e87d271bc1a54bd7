import { LRUCache } from 'lru-cache';
import MarkdownIt from 'markdown-it';

const MAX_CHARACTERS = 32_000_000;

/** Markdown as HTML that is safe to show. `hash` names the text: the same one is rendered once, as some take a second. */
export type Rendering = (hash: string, markdown: string) => string;

/** HTML in Markdown is shown as text, and addresses that would run are no links. */
export function createRendering(): Rendering {
  const markdownIt = new MarkdownIt({ html: false });
  const rendered = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (html) => html.length + 1,
  });
  return (hash, markdown) => {
    const html = rendered.get(hash) ?? markdownIt.render(markdown);
    rendered.set(hash, html);
    return html;
  };
}
