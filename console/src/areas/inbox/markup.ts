const LINK = /\[([^\]]*)\]\([^)]*\)?/u;
const ESCAPED = /\\([!-/:-@[-`{-~])/;
const EMPHASIS = /\*\*|(?<![\p{L}\p{N}])\*(?=\S)|(?<=\S)\*(?![\p{L}\p{N}])/u;
const BLOCK = /^(?:[>#]+ *)+/;
const SIGNS = new RegExp([LINK, ESCAPED, EMPHASIS, BLOCK].map(({ source }) => source).join('|'), 'gmu');

/** Returns the Markdown of an answer as plain text. Of a link its words stay, also of one that is cut. */
export const withoutMarkup = (markdown: string): string => markdown.replace(SIGNS, '$1$2');
