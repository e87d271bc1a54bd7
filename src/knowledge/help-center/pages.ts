import { BRAND_STYLE, brandMark, DEFAULT_ACCENT, type PageBrand } from '../../html/brand.rules.ts';
import { escapeHtml, languageAttributes, policyOf, styleElement } from '../../html/page.rules.ts';
import { MAX_COMMENT_LENGTH } from './feedback/schema.ts';
import { withHeadingIds } from './headings.rules.ts';
import type { HelpWords } from './words.rules.ts';

const STYLE = `${DEFAULT_ACCENT}${BRAND_STYLE}:root{color-scheme:light dark}*{box-sizing:border-box}body{font:17px/1.6 system-ui,sans-serif;margin:0;overflow-wrap:anywhere;color:light-dark(#1c2330,#e4e7ee);background:light-dark(#f6f7f9,#101318)}
a{color:var(--link)}.quiet,small{color:light-dark(#566074,#a3abbb)}header,main,.trail{max-width:60rem;margin:0 auto;padding:0 1.2rem}
.top{background:light-dark(#fff,#14171d);border-bottom:1px solid light-dark(#d9dde5,#2c323d)}header{display:flex;gap:.6rem 1.5rem;flex-wrap:wrap;align-items:center;justify-content:space-between;padding-block:.8rem}
form{display:flex;gap:.5rem;flex:1 1 14rem;max-width:26rem}input{font:inherit;flex:1;min-width:0;padding:.4rem .7rem;border:1px solid light-dark(#838c9c,#757f90);border-radius:.5rem;background:light-dark(#fff,#101318);color:inherit}
button{font:inherit;min-height:2.5rem;padding:.3rem .9rem;border:0;border-radius:.5rem;background:var(--accent);color:var(--on);cursor:pointer}textarea{font:inherit;display:block;width:100%;margin-top:.4rem;padding:.4rem .7rem;border:1px solid light-dark(#838c9c,#757f90);border-radius:.5rem;background:light-dark(#fff,#101318);color:inherit}.ask{flex-wrap:wrap;align-items:center;max-width:none;margin:1.2rem 0}.ask>span{margin-inline-end:.6rem}.ask label{flex:1 1 100%}
.trail{font-size:.9rem;padding-block:1rem .2rem}.trail a,.site{display:inline-block;padding-block:.2rem}.names{display:flex;gap:.4rem 1.2rem;flex-wrap:wrap;align-items:center}main{padding-block:.4rem 4rem}h1{line-height:1.2;font-size:1.9rem;margin:.6rem 0}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem;margin-top:1.2rem}.card{background:light-dark(#fff,#14171d);border:1px solid light-dark(#d9dde5,#2c323d);border-radius:.8rem;padding:1rem 1.2rem}
.card :is(h2,h3,h4,h5,h6){font-size:1.1rem;line-height:1.3;margin:.2rem 0 .4rem}.card h2~:is(h3,h4,h5,h6){font-size:1rem;margin-top:1rem}.card a{text-decoration:none}.card a:hover{text-decoration:underline}.card p{margin:.3rem 0}.icon{font-size:1.6rem;line-height:1;display:block}
article,.contents,.hits{background:light-dark(#fff,#14171d);border:1px solid light-dark(#d9dde5,#2c323d);border-radius:.8rem;padding:1rem 1.4rem}.contents,.next{margin:1rem 0}.contents ul{margin:.3rem 0;padding-inline-start:1.2rem}.contents .deep{margin-inline-start:1rem}.contents a{display:inline-block;padding-block:.1rem}
img{max-width:100%;height:auto}pre{overflow-x:auto;padding:.8rem;background:light-dark(#eef0f4,#1d222b);border-radius:.4rem}code{font-size:.9em}table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid light-dark(#c4cad6,#3b4352);padding:.3rem .6rem;text-align:start}blockquote{border-inline-start:3px solid light-dark(#c4cad6,#3b4352);margin-inline-start:0;padding-inline-start:1rem}`;

/** Pictures of articles may be anywhere. */
export const helpPagePolicy = (brand?: PageBrand): string => policyOf(STYLE, "'self' https:", brand);

/** The context of a page. Addresses are absolute. */
export interface HelpPage {
  /** `language` as ISO 639-1. */
  center: { name: string; url: string; language: string };
  brand: PageBrand;
  words: HelpWords;
  url: string;
  /** The categories above it. */
  trail: { title: string; url: string }[];
  title: string;
  description: string | null;
  /** What was searched for. Search engines leave out such pages. */
  query?: string;
}

export interface HelpAnswer {
  /** False: the page says that there is none. */
  isFound: boolean;
  html: string;
}

export interface ContentsEntry {
  title: string;
  url: string;
  description: string | null;
  /** What it looks like in a list: a short text such as an emoji. Of categories only. */
  icon: string | null;
  /** 1 for entries directly below the root. */
  depth: number;
  is_category: boolean;
}

export interface ShownArticle {
  title: string;
  /** Its sanitized content. */
  html: string;
  updatedAt: Date;
  next: { title: string; url: string } | undefined;
}

/** Renders an article page for the public, with the contents of a long one, its date and the article after it. */
export function articlePage(page: HelpPage, { title, html: content, updatedAt, next }: ShownArticle): string {
  const { words, center } = page;
  const { html, headings } = withHeadingIds(content);
  const top = Math.min(...headings.map(({ level }) => level));
  const items = headings.map(
    ({ id, html: text, level }) =>
      `<li${level > top ? ' class="deep"' : ''}><a href="${escapeHtml(page.url)}#${id}">${text}</a></li>`,
  );
  const contents =
    items.length === 0
      ? ''
      : `<nav class="contents" aria-label="${escapeHtml(words.contents)}"><strong>${escapeHtml(words.contents)}</strong><ul>${items.join('')}</ul></nav>`;
  const day = new Intl.DateTimeFormat(center.language, { dateStyle: 'long', timeZone: 'UTC' }).format(updatedAt);
  const following =
    next === undefined
      ? ''
      : `<div class="next">${escapeHtml(words.next)}: <a href="${escapeHtml(next.url)}">${escapeHtml(next.title)}</a></div>`;
  return pageOf(
    page,
    `<article><h1>${escapeHtml(title)}</h1>
<div class="quiet">${escapeHtml(words.updated)}: <time datetime="${updatedAt.toISOString()}">${escapeHtml(day)}</time></div>${contents}
${html}</article>${question(page)}${following}`,
  );
}

/** Asks the reader of an article. The form works without scripts. */
const question = ({ url, words }: HelpPage): string =>
  `<form class="ask" method="post" action="${escapeHtml(url)}" aria-labelledby="helpful"><span id="helpful">${escapeHtml(words.helpful)}</span>
<button type="submit" name="helpful" value="yes">${escapeHtml(words.yes)}</button><button type="submit" name="helpful" value="no">${escapeHtml(words.no)}</button></form>`;

/** Renders the page after an answer. With the id of one, it takes a sentence about it. */
export function answeredPage(page: HelpPage, answerId: string | undefined): HelpAnswer {
  const { words, url, title } = page;
  const form = `<form class="ask" method="post" action="${escapeHtml(url)}"><label>${escapeHtml(words.tell_us)}<textarea name="comment" rows="4" maxlength="${MAX_COMMENT_LENGTH}" required></textarea></label>
<input type="hidden" name="answer" value="${escapeHtml(answerId ?? '')}"><button type="submit">${escapeHtml(words.send)}</button></form>`;
  const html = pageOf(
    { ...page, title: words.thanks, query: '' },
    `<h1>${escapeHtml(words.thanks)}</h1>${answerId === undefined ? '' : form}<p><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></p>`,
  );
  return { isFound: true, html };
}

/** Renders a category or the whole help center as cards. */
export function contentsPage(page: HelpPage, entries: ContentsEntry[]): string {
  const about = page.description === null ? '' : `<p>${escapeHtml(page.description)}</p>`;
  const cards = cardsOf(entries).map((card) => `<div class="card">${card.map(entryOf).join('\n')}</div>`);
  const empty = `<p>${escapeHtml(page.words.no_articles)}</p>`;
  return pageOf(
    page,
    `<h1>${escapeHtml(page.title)}</h1>${about}
${cards.length === 0 ? empty : `<div class="cards">${cards.join('\n')}</div>`}`,
  );
}

/** Renders what a search has found, with the passage that was found of each article. */
export function resultsPage(page: HelpPage, hits: ContentsEntry[]): string {
  const found = `<div class="hits">${hits.map(entryOf).join('\n')}</div>`;
  return pageOf(
    page,
    `<h1>${escapeHtml(page.title)}</h1>
${hits.length === 0 ? `<p>${escapeHtml(page.words.nothing_found)}</p>` : found}`,
  );
}

/** Returns the entries in groups: each category of the uppermost level with all below it, and each article beside them. */
function cardsOf(entries: ContentsEntry[]): ContentsEntry[][] {
  const cards: ContentsEntry[][] = [];
  for (const entry of entries) {
    const card = cards.at(-1);
    if (card === undefined || entry.depth <= 1) cards.push([entry]);
    else card.push(entry);
  }
  return cards;
}

function entryOf({ title, url, description, icon, depth, is_category }: ContentsEntry): string {
  const link = `<a href="${escapeHtml(url)}">${escapeHtml(title)}</a>`;
  const about = description === null ? '' : `<br><small>${escapeHtml(description)}</small>`;
  const level = Math.min(depth + 1, 6);
  if (!is_category) return `<p>${link}${about}</p>`;
  return `${iconOf(icon)}<h${level}>${link}</h${level}>${about.replace('<br>', '')}`;
}

const MAX_ICON = 8;
/** Names of icons of other help centers, and addresses, are not shown. */
const iconOf = (icon: string | null): string =>
  icon !== null && [...icon].length <= MAX_ICON && !/[\p{ASCII}]/u.test(icon)
    ? `<span class="icon" aria-hidden="true">${escapeHtml(icon)}</span>`
    : '';

/** Renders the page of an address without content, in an org's help center. */
export const missingPage = (page: HelpPage): HelpAnswer => {
  const { words, center } = page;
  const home = `<a href="${escapeHtml(center.url)}">${escapeHtml(words.home)}</a>`;
  const html = pageOf(
    { ...page, title: words.not_found, query: '' },
    `<h1>${escapeHtml(words.not_found)}</h1><p>${escapeHtml(words.no_page)}</p><p>${home}</p>`,
  );
  return { isFound: false, html };
};

/** Renders the page of an address where there is no help center. */
export const NOT_FOUND_PAGE = documentOf(
  'en',
  '<title>Not found</title>',
  '<main><h1>Not found</h1><p>There is no such page.</p></main>',
  undefined,
);

/** Renders the addresses of a help center for search engines (sitemaps.org 0.9). */
export const sitemapOf = (pages: { url: string; updatedAt: Date | null }[]): string => {
  const entries = pages.map(({ url, updatedAt }) => {
    const changed = updatedAt === null ? '' : `<lastmod>${updatedAt.toISOString()}</lastmod>`;
    return `<url><loc>${escapeHtml(url)}</loc>${changed}</url>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
};

function pageOf({ center, brand, words, url, trail, title, description, query }: HelpPage, body: string): string {
  const meta = description === null ? '' : `<meta name="description" content="${escapeHtml(description)}">`;
  const links = trail.map((above) => `<a href="${escapeHtml(above.url)}">${escapeHtml(above.title)}</a>`);
  const place =
    query === undefined ? `<link rel="canonical" href="${escapeHtml(url)}">` : '<meta name="robots" content="noindex">';
  const search = escapeHtml(words.search);
  const site =
    brand.home === undefined
      ? ''
      : `<a class="site" href="${escapeHtml(brand.home)}">${escapeHtml(new URL(brand.home).host)}</a>`;
  return documentOf(
    center.language,
    `<title>${escapeHtml(title)}</title>
${meta}${place}`,
    `<div class="top"><header><div class="names">${brandMark(brand, center.url)}${site}</div>
<form action="${escapeHtml(center.url)}" role="search"><input type="search" name="q" value="${escapeHtml(query ?? '')}" aria-label="${search}" placeholder="${search}" maxlength="200"><button type="submit">${search}</button></form></header></div>
${links.length === 0 ? '' : `<nav class="trail">${links.join(' / ')}</nav>`}
<main>${body}</main>`,
    brand,
  );
}

function documentOf(language: string, head: string, body: string, brand: PageBrand | undefined): string {
  return `<!doctype html>
<html ${languageAttributes(language)}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}
<style>${STYLE}</style>${styleElement(brand)}</head>
<body>${body}</body>
</html>
`;
}
