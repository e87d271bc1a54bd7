import sanitize from 'sanitize-html';

/** A longer one is cut: its text is kept besides. */
const MAX_HTML_LENGTH = 262_144;
const MAX_DEPTH = 100;
const LINK = { rel: 'noopener noreferrer nofollow', target: '_blank' };
const REMOTE = /^https?:\/\//i;
/** A picture as `sanitizedHtml` writes it: texts and other attributes have no `<`. */
const PICTURE = /<img [^>]*?data-src="([^"]*)"/g;
const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/**
 * Returns the HTML of an e-mail with text, tables, links and places of remote pictures only. The address of a picture is
 * in `data-src`, as loading it would tell its server who reads. Pictures that came with the e-mail are its files.
 */
export const sanitizedHtml = (html: string): string =>
  sanitize(html.slice(0, MAX_HTML_LENGTH), {
    allowedTags: [...sanitize.defaults.allowedTags, 'img'],
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    allowedAttributes: {
      a: ['href', 'rel', 'target'],
      img: ['data-src', 'alt', 'width', 'height'],
      td: ['colspan', 'rowspan'],
      th: ['colspan', 'rowspan'],
    },
    transformTags: {
      a: sanitize.simpleTransform('a', LINK),
      img: (tagName, { src = '', alt, width, height }) => ({
        tagName,
        attribs: Object.fromEntries(
          Object.entries({ 'data-src': src.trim(), alt, width, height }).filter(([, value]) => value !== undefined),
        ) as sanitize.Attributes,
      }),
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !REMOTE.test(attribs['data-src'] ?? ''),
    nestingLimit: MAX_DEPTH,
  });

/** Returns the addresses of the remote pictures in the HTML of an e-mail, in their order. */
export const picturesIn = (html: string): string[] =>
  [...html.matchAll(PICTURE)].map(([, url = '']) =>
    url.replaceAll(/&(?:amp|lt|gt|quot);/g, (entity) => ENTITIES[entity] ?? entity),
  );
