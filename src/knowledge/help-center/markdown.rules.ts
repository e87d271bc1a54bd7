import MarkdownIt, { type Token } from 'markdown-it';

/** A definition of a link is written out for each of its uses. */
const MAX_HTML_CHARACTERS = 2_000_000;
/** A heading's opening, text and end. */
const HEADING_TOKENS = 3;

const markdownIt = new MarkdownIt({ html: false });
const { escapeHtml } = markdownIt.utils;

export interface ArticleText {
  title: string;
  markdown: string;
}

/**
 * Returns an article as safe HTML for below a heading with its title, or undefined if it would be too long. HTML in
 * Markdown is shown as text, and script addresses do not become links.
 */
export function htmlOfArticle({ title, markdown }: ArticleText): string | undefined {
  const tokens = belowTitle(markdownIt.parse(markdown, {}), title);
  return lengthOf(tokens) > MAX_HTML_CHARACTERS
    ? undefined
    : markdownIt.renderer.render(tokens, markdownIt.options, {});
}

/** Returns the text itself as HTML. */
export const htmlOfText = (text: string): string => `<pre>${escapeHtml(text)}</pre>`;

/**
 * Returns the tokens without a first heading that repeats the title. If other headings are of the first level, which
 * is the title's, all headings move down by one.
 */
function belowTitle(tokens: Token[], title: string): Token[] {
  const rest = repeatsTitle(tokens, title) ? tokens.slice(HEADING_TOKENS) : tokens;
  if (rest.some(({ tag }) => tag === 'h1')) for (const token of rest) token.tag = lowered(token.tag);
  return rest;
}

const repeatsTitle = ([open, text]: Token[], title: string): boolean =>
  open?.type === 'heading_open' && open.tag === 'h1' && comparable(shownText(text)) === comparable(title);

const shownText = (token: Token | undefined): string => (token?.children ?? []).map(({ content }) => content).join('');

const comparable = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();

const lowered = (tag: string): string => (/^h[1-5]$/.test(tag) ? `h${Number(tag[1]) + 1}` : tag);

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
