const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Elements and roles for navigation or input. */
export const CHROME_ELEMENTS = words('aside dialog button input label select form menu head fieldset');
export const CHROME_ROLES = words(
  'navigation contentinfo complementary banner dialog alertdialog search menu menubar toolbar tablist alert tooltip',
);

/** Matched anywhere in a class or id. */
const LONG =
  `sidebar|side-bar|breadcrumb|cookie|consent|gdpr|newsletter|subscri|share|sharing|social|related|recommend|popup|popover|modal
lightbox|off-?canvas|promo|sponsor|advert|footer|navbar|pagination|pager|masthead|skip-?(?:link|to)|copyright|disqus|toolbar|dropdown|submenu
drawer|flyout|tooltip|overlay|login|sign-?up|site-?header|page-?header|table-of-contents|screen-reader|sr-only|visually-?hidden|signature
disclaimer|mini-?cart`.replaceAll('\n', '|');
/** Matched as separate words. */
const SHORT =
  `ads?|nav|navigation|toc|menu|banner|tags|meta|byline|author|bio|print|cta|filters?|facets?|rating|reviews|cart|topbar
top-bar|announcement|prev-next|prevnext|next-prev|actions|buttons`.replaceAll('\n', '|');
const COMMENTS = 'comments?|respond|replies';

const alone = (alternatives: string) => `(?:^|[\\s_-])(?:${alternatives})(?:$|[\\s_-])`;

/** Classes and ids of page parts outside the main content. In a discussion, comments are content. */
export const CHROME_NAMES = new RegExp(`${LONG}|${alone(`${SHORT}|${COMMENTS}`)}`, 'i');
export const CHROME_NAMES_OF_DISCUSSION = new RegExp(
  `${LONG}|${alone(SHORT)}|author-?(?:pane|info)|user-?(?:info|details)|post-?profile`,
  'i',
);

/** Classes and ids of the main content. */
export const CONTENT_NAMES = new RegExp(
  alone(
    `article-?(?:body|content|text)|entry-?content|post-?(?:content|body|text)|main-?content|page-?content|body-?content|markdown-?body
content-?(?:body|main)|story-?body|rich-?text|prose|mw-parser-output|theme-doc-markdown|documentation|document|td-content|rst-content
hentry`.replaceAll('\n', '|'),
  ),
  'i',
);

/** Matched in URLs of discussions and in the classes of their pages. */
export const DISCUSSION =
  /(?:^|[^a-z])(?:forums?|boards?|community|discuss(?:ions?)?|threads?|topics?|viewtopic|showthread|questions?|answers|qa|talk|comments)(?:[^a-z]|$)/i;
/** The schema.org types of discussions. */
export const DISCUSSION_TYPE = /schema\.org\/(?:DiscussionForumPosting|QAPage)\b/i;
