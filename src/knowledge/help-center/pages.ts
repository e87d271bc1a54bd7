import { createHash } from 'node:crypto';
import { escapeHtml } from '../../html/page.rules.ts';

const STYLE = `:root{color-scheme:light dark}body{font:17px/1.6 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1rem 1.2rem 4rem}
header{display:flex;gap:1rem;flex-wrap:wrap;align-items:baseline;justify-content:space-between;border-bottom:1px solid #8884;padding-bottom:.6rem}
header a{font-weight:600;text-decoration:none}nav{font-size:.9rem;margin:1rem 0}h1{line-height:1.2}img{max-width:100%;height:auto}
pre{overflow-x:auto;padding:.8rem;background:#8882;border-radius:.4rem}code{font-size:.9em}table{border-collapse:collapse;display:block;overflow-x:auto}
td,th{border:1px solid #8886;padding:.3rem .6rem;text-align:left}blockquote{border-left:3px solid #8886;margin-left:0;padding-left:1rem}
input{font:inherit;padding:.2rem .5rem}`;

/** Forbids scripts; allows only images and the page's own style. */
export const HELP_PAGE_POLICY = [
  "default-src 'none'",
  "img-src 'self' https:",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The context of a page. Addresses are absolute. */
export interface HelpPage {
  /** `language` as ISO 639-1. */
  center: { name: string; url: string; language: string };
  url: string;
  /** The categories above it. */
  trail: { title: string; url: string }[];
  title: string;
  description: string | null;
}

export interface ContentsEntry {
  title: string;
  url: string;
  description: string | null;
  /** 1 for entries directly below the root. */
  depth: number;
  is_category: boolean;
}

/** Renders an article page for the public. `html` is its sanitized content. */
export const articlePage = (page: HelpPage, title: string, html: string): string =>
  pageOf(page, `<article><h1>${escapeHtml(title)}</h1>\n${html}</article>`);

/** Renders a category, the whole help center, or search results. */
export const contentsPage = (page: HelpPage, entries: ContentsEntry[], whenEmpty: string): string =>
  pageOf(
    page,
    `<h1>${escapeHtml(page.title)}</h1>${page.description === null ? '' : `<p>${escapeHtml(page.description)}</p>`}
${entries.length === 0 ? `<p>${escapeHtml(whenEmpty)}</p>` : entries.map(entryOf).join('\n')}`,
  );

function entryOf({ title, url, description, depth, is_category }: ContentsEntry): string {
  const link = `<a href="${escapeHtml(url)}">${escapeHtml(title)}</a>`;
  const about = description === null ? '' : `<br><small>${escapeHtml(description)}</small>`;
  const level = Math.min(depth + 1, 6);
  return is_category ? `<h${level}>${link}</h${level}>${about.replace('<br>', '')}` : `<p>${link}${about}</p>`;
}

/** Renders the page of an address without content. */
export const NOT_FOUND_PAGE = documentOf(
  'en',
  '<title>Not found</title>',
  '<main><h1>Not found</h1><p>There is no such page.</p></main>',
);

function pageOf({ center, url, trail, title, description }: HelpPage, body: string): string {
  const meta = description === null ? '' : `<meta name="description" content="${escapeHtml(description)}">`;
  const links = trail.map((above) => `<a href="${escapeHtml(above.url)}">${escapeHtml(above.title)}</a>`);
  const name = escapeHtml(center.name);
  const head = `<title>${escapeHtml(title)}</title>
${meta}<link rel="canonical" href="${escapeHtml(url)}">`;
  return documentOf(
    center.language,
    head,
    `<header><a href="${escapeHtml(center.url)}">${name}</a>
<form action="${escapeHtml(center.url)}"><input type="search" name="q" aria-label="Search" placeholder="Search" maxlength="200"></form></header>
<nav>${links.join(' / ')}</nav>
<main>${body}</main>`,
  );
}

function documentOf(language: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${head}
<style>${STYLE}</style></head>
<body>${body}</body>
</html>
`;
}
