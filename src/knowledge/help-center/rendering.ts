import { LRUCache } from 'lru-cache';
import MarkdownIt from 'markdown-it';

const MAX_CHARACTERS = 32_000_000;

/** Renders Markdown as safe HTML. `hash` identifies the text: results are cached by it, as some texts take a second. */
export type Rendering = (hash: string, markdown: string) => string;

/** Creates the renderer. HTML in Markdown is shown as text, and script addresses do not become links. */
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
