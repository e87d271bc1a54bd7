import type { Db } from '../../db/connect.ts';
import type { PageBrand } from '../../html/brand.rules.ts';
import { isUuid } from '../../ids.ts';
import type { MediaLinks } from '../../media/links.ts';
import { readBrand } from '../../orgs/brand/service.ts';
import { WORDS_ONLY } from '../search/passage-search.service.ts';
import { addressOf } from './addresses.rules.ts';
import { findArticleByPath, findCenter, listBreadcrumbs, listTableOfContents } from './articles.queries.ts';
import { searchArticles } from './articles.service.ts';
import {
  articlePage,
  type ContentsEntry,
  contentsPage,
  type HelpAnswer,
  type HelpPage,
  missingPage,
  resultsPage,
  sitemapOf,
} from './pages.ts';
import type { Rendering } from './rendering.ts';
import { MAX_PATH_LENGTH } from './tree.rules.ts';
import { helpWordsIn } from './words.rules.ts';

const MAX_RESULTS = 20;
const MAX_FOUND_CHARACTERS = 240;

export interface HelpPageResult {
  orgId: string;
  path: string;
  query: string | undefined;
}

interface HelpSetting {
  publicUrl: string;
  mediaLinks: MediaLinks;
}

/** Returns the start page of an org's help center, which its other pages are made of. Undefined if there is none. */
export async function findHelpCenter(
  db: Db,
  { publicUrl, mediaLinks }: HelpSetting,
  orgId: string,
): Promise<HelpPage | undefined> {
  const center = isUuid(orgId) ? await findCenter(db, orgId) : undefined;
  if (center === undefined) return undefined;
  const brand = await readBrand(db, mediaLinks, orgId);
  const { language } = center;
  const { name } = brand;
  const url = addressOf(publicUrl, orgId);
  const words = helpWordsIn(language);
  return { center: { name, url, language }, brand, words, url, trail: [], title: name, description: null };
}

/** Returns the article at a path with its address. Undefined if there is none. */
export async function findShownArticle(db: Db, publicUrl: string, orgId: string, path: string) {
  const article = path.length > MAX_PATH_LENGTH ? undefined : await findArticleByPath(db, orgId, path);
  return article && { ...article, url: addressOf(publicUrl, orgId, path) };
}

/** Renders the page at an address of an org's help center. Returns undefined if the org has no help center. */
export async function renderHelpPage(
  db: Db,
  { rendering, ...setting }: HelpSetting & { rendering: Rendering },
  { orgId, path, query }: HelpPageResult,
): Promise<(HelpAnswer & { brand: PageBrand }) | undefined> {
  const home = await findHelpCenter(db, setting, orgId);
  if (home === undefined) return undefined;
  return {
    ...(await renderPage(db, { rendering, publicUrl: setting.publicUrl, home }, { orgId, path, query })),
    brand: home.brand,
  };
}

async function renderPage(
  db: Db,
  { rendering, publicUrl, home }: { rendering: Rendering; publicUrl: string; home: HelpPage },
  { orgId, path, query }: HelpPageResult,
): Promise<HelpAnswer> {
  const { name, url } = home.center;
  const addressed = <P extends { path: string }>(one: P) => ({ ...one, url: addressOf(publicUrl, orgId, one.path) });
  if (path === '') {
    if (query === undefined) return found(contentsPage(home, (await listTableOfContents(db, orgId)).map(addressed)));
    // by words only: what the public asks must not cost the org calls of its model
    const hits = await searchArticles(db, WORDS_ONLY, orgId, { query, limit: MAX_RESULTS });
    const entries = hits.map(entryOf).map(addressed);
    return found(resultsPage({ ...home, title: `${name}: ${query}`, query }, entries));
  }
  if (path.length > MAX_PATH_LENGTH) return missingPage(home);
  const above = (await listBreadcrumbs(db, orgId, pathsAbove(path))).map(addressed);
  const here = { ...home, ...addressed({ path }), trail: [{ title: name, url }, ...above] };
  const article = await findArticleByPath(db, orgId, path);
  if (article !== undefined) {
    const { title, meta_title, meta_description: description, hash, content_markdown, updated_at: updatedAt } = article;
    const html = await rendering.html({ orgId, hash, title, markdown: content_markdown ?? '' });
    const next = await findNextArticle(db, orgId, path);
    return found(
      articlePage(
        { ...here, title: meta_title ?? title, description },
        { title, html, updatedAt, next: next && addressed(next) },
      ),
    );
  }
  const [category, ...contents] = (await listTableOfContents(db, orgId, path)).map(addressed);
  if (category === undefined) return missingPage(home);
  const { title, description } = category;
  const entries = contents.map((entry) => ({ ...entry, depth: entry.depth - 1 }));
  return found(contentsPage({ ...here, title, description }, entries));
}

const found = (html: string): HelpAnswer => ({ isFound: true, html });

/** Returns the article after one in the tree, within its outermost category. */
async function findNextArticle(db: Db, orgId: string, path: string) {
  const articles = (await listTableOfContents(db, orgId, path.split('/')[0])).filter((one) => !one.is_category);
  const at = articles.findIndex((one) => one.path === path);
  return at < 0 ? undefined : articles[at + 1];
}

/** Renders the sitemap of an org's help center. Returns undefined if there is none. */
export async function renderSitemap(db: Db, publicUrl: string, orgId: string): Promise<string | undefined> {
  if (!isUuid(orgId) || (await findCenter(db, orgId)) === undefined) return undefined;
  const entries = await listTableOfContents(db, orgId);
  const pages = entries.map(({ path, updated_at: updatedAt }) => ({
    url: addressOf(publicUrl, orgId, path),
    updatedAt,
  }));
  return sitemapOf([{ url: addressOf(publicUrl, orgId), updatedAt: null }, ...pages]);
}

interface Hit {
  title: string;
  path: string;
  meta_description: string | null;
  found: string;
}

/** Returns an article as a result, with the sentence that was found, or else its description. */
const entryOf = ({ title, path, meta_description, found: text }: Hit) =>
  ({
    title,
    path,
    description: shortened(text) || meta_description,
    icon: null,
    depth: 1,
    is_category: false,
  }) satisfies Omit<ContentsEntry, 'url'> & { path: string };

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_FOUND_CHARACTERS ? line : `${line.slice(0, MAX_FOUND_CHARACTERS).trimEnd()}…`;
}

/** Returns the paths above: for `a/b/c`, `a` and `a/b`. */
function pathsAbove(path: string): string[] {
  const slugs = path.split('/').slice(0, -1);
  return slugs.map((_, nth) => slugs.slice(0, nth + 1).join('/'));
}
