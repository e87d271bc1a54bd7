import type { Db } from '../../db/connect.ts';
import { isUuid } from '../../ids.ts';
import type { Semantics } from '../index/search.service.ts';
import { addressOf } from './addresses.rules.ts';
import { findArticleAt, findCenter, listContentsTable, listTrail } from './articles.queries.ts';
import { searchArticles } from './articles.service.ts';
import { articlePage, contentsPage, type Entry, type HelpPage } from './pages.ts';
import type { Rendering } from './rendering.ts';
import { MAX_PATH } from './tree.rules.ts';

const FOUND = 20;
/** Anybody may ask, which must not cost the org a call of its model. */
const BY_WORDS: Semantics = { similarities: async () => new Map() };
const NOTHING_YET = 'There are no articles yet.';

export interface Reading {
  orgId: string;
  path: string;
  query: string | undefined;
}

/** The page at an address of an org's help center. Undefined where there is none. */
export async function readHelpPage(
  db: Db,
  { publicUrl, render }: { publicUrl: string; render: Rendering },
  { orgId, path, query }: Reading,
): Promise<string | undefined> {
  const name = isUuid(orgId) && path.length <= MAX_PATH ? await findCenter(db, orgId) : undefined;
  if (name === undefined) return undefined;
  const addressed = <P extends { path: string }>(one: P) => ({ ...one, url: addressOf(publicUrl, orgId, one.path) });
  const { url } = addressed({ path: '' });
  const home: HelpPage = { center: { name, url }, url, trail: [], title: name, description: null };
  if (path === '') {
    if (query === undefined)
      return contentsPage(home, (await listContentsTable(db, orgId)).map(addressed), NOTHING_YET);
    const found = (await searchArticles(db, BY_WORDS, orgId, query, FOUND)).map(entryOf).map(addressed);
    return contentsPage({ ...home, title: `${name}: ${query}` }, found, 'Nothing was found.');
  }
  const above = (await listTrail(db, orgId, pathsAbove(path))).map(addressed);
  const here = { ...home, ...addressed({ path }), trail: [{ title: name, url }, ...above] };
  const article = await findArticleAt(db, orgId, path);
  if (article !== undefined) {
    const { title, meta_title, meta_description: description, hash, content_markdown } = article;
    return articlePage(
      { ...here, title: meta_title ?? title, description },
      title,
      render(hash, content_markdown ?? ''),
    );
  }
  const [category, ...contents] = (await listContentsTable(db, orgId, path)).map(addressed);
  if (category === undefined) return undefined;
  const { title, description } = category;
  return contentsPage(
    { ...here, title, description },
    contents.map((entry) => ({ ...entry, depth: entry.depth - 1 })),
    NOTHING_YET,
  );
}

const entryOf = ({ title, path, meta_description }: { title: string; path: string; meta_description: string | null }) =>
  ({ title, path, description: meta_description, depth: 1, is_category: false }) satisfies Omit<Entry, 'url'> & {
    path: string;
  };

/** `a/b/c` stands below `a` and `a/b`. */
function pathsAbove(path: string): string[] {
  const slugs = path.split('/').slice(0, -1);
  return slugs.map((_, nth) => slugs.slice(0, nth + 1).join('/'));
}
