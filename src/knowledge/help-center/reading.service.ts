import type { Db } from '../../db/connect.ts';
import { isUuid } from '../../ids.ts';
import { WORDS_ONLY } from '../search/passage-search.service.ts';
import { addressOf } from './addresses.rules.ts';
import { findArticleByPath, findCenter, listBreadcrumbs, listTableOfContents } from './articles.queries.ts';
import { searchArticles } from './articles.service.ts';
import { articlePage, type ContentsEntry, contentsPage, type HelpPage } from './pages.ts';
import type { Rendering } from './rendering.ts';
import { MAX_PATH_LENGTH } from './tree.rules.ts';

const MAX_RESULTS = 20;
const NO_ARTICLES = 'There are no articles yet.';

export interface HelpPageResult {
  orgId: string;
  path: string;
  query: string | undefined;
}

/** Renders the page at an address of an org's help center. Returns undefined if there is none. */
export async function renderHelpPage(
  db: Db,
  { publicUrl, rendering }: { publicUrl: string; rendering: Rendering },
  { orgId, path, query }: HelpPageResult,
): Promise<string | undefined> {
  const center = isUuid(orgId) && path.length <= MAX_PATH_LENGTH ? await findCenter(db, orgId) : undefined;
  if (center === undefined) return undefined;
  const { name, language } = center;
  const addressed = <P extends { path: string }>(one: P) => ({ ...one, url: addressOf(publicUrl, orgId, one.path) });
  const { url } = addressed({ path: '' });
  const home: HelpPage = { center: { name, url, language }, url, trail: [], title: name, description: null };
  if (path === '') {
    if (query === undefined)
      return contentsPage(home, (await listTableOfContents(db, orgId)).map(addressed), NO_ARTICLES);
    // by words only: what the public asks must not cost the org calls of its model
    const found = await searchArticles(db, WORDS_ONLY, orgId, { query, limit: MAX_RESULTS });
    const entries = found.map(entryOf).map(addressed);
    return contentsPage({ ...home, title: `${name}: ${query}` }, entries, 'Nothing was found.');
  }
  const above = (await listBreadcrumbs(db, orgId, pathsAbove(path))).map(addressed);
  const here = { ...home, ...addressed({ path }), trail: [{ title: name, url }, ...above] };
  const article = await findArticleByPath(db, orgId, path);
  if (article !== undefined) {
    const { title, meta_title, meta_description: description, hash, content_markdown } = article;
    return articlePage(
      { ...here, title: meta_title ?? title, description },
      title,
      await rendering.html({ orgId, hash, title, markdown: content_markdown ?? '' }),
    );
  }
  const [category, ...contents] = (await listTableOfContents(db, orgId, path)).map(addressed);
  if (category === undefined) return undefined;
  const { title, description } = category;
  return contentsPage(
    { ...here, title, description },
    contents.map((entry) => ({ ...entry, depth: entry.depth - 1 })),
    NO_ARTICLES,
  );
}

const entryOf = ({ title, path, meta_description }: { title: string; path: string; meta_description: string | null }) =>
  ({ title, path, description: meta_description, depth: 1, is_category: false }) satisfies Omit<
    ContentsEntry,
    'url'
  > & {
    path: string;
  };

/** Returns the paths above: for `a/b/c`, `a` and `a/b`. */
function pathsAbove(path: string): string[] {
  const slugs = path.split('/').slice(0, -1);
  return slugs.map((_, nth) => slugs.slice(0, nth + 1).join('/'));
}
