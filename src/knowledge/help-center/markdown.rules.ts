import MarkdownIt, { type Token } from 'markdown-it';

/** A definition of a link is written out for each of its uses. */
const MAX_HTML_CHARACTERS = 2_000_000;

const markdownIt = new MarkdownIt({ html: false });
const { escapeHtml } = markdownIt.utils;

/**
 * Returns Markdown as safe HTML, or undefined if it would be too long. HTML in Markdown is shown as text, and script
 * addresses do not become links.
 */
export function htmlOfMarkdown(markdown: string): string | undefined {
  const tokens = markdownIt.parse(markdown, {});
  return lengthOf(tokens) > MAX_HTML_CHARACTERS
    ? undefined
    : markdownIt.renderer.render(tokens, markdownIt.options, {});
}

/** Returns the text itself as HTML. */
export const htmlOfText = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/** Returns the number of characters in the texts and attributes of tokens, as HTML has them. */
function lengthOf(tokens: Token[]): number {
  let length = 0;
  for (const { content, attrs, children } of tokens) {
    if (children === null) length += escapeHtml(content).length;
    else length += lengthOf(children);
    for (const [name, value] of attrs ?? []) length += name.length + escapeHtml(String(value)).length;
    if (length > MAX_HTML_CHARACTERS) return length;
  }
  return length;
}
