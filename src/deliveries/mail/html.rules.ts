import sanitize from 'sanitize-html';

/** A longer one is cut: its text is kept besides. */
const MAX_HTML_LENGTH = 262_144;
const MAX_DEPTH = 100;
const LINK = { rel: 'noopener noreferrer nofollow', target: '_blank' };

/**
 * Returns the HTML of an e-mail with text, tables and links only. Pictures are left out: those that came with the e-mail
 * are its files, and others would tell their server who reads.
 */
export const sanitizedHtml = (html: string): string =>
  sanitize(html.slice(0, MAX_HTML_LENGTH), {
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedAttributes: { a: ['href', 'rel', 'target'], td: ['colspan', 'rowspan'], th: ['colspan', 'rowspan'] },
    transformTags: { a: sanitize.simpleTransform('a', LINK) },
    nestingLimit: MAX_DEPTH,
  });
