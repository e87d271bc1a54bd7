import { z } from 'zod';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { type CreatedWithin, pagesById } from '../../db/keyset.ts';
import { notFound } from '../../errors.ts';
import { bestQuote } from '../search/citations.rules.ts';
import { findPassages, type SemanticSearch } from '../search/passage-search.service.ts';
import { addressOf } from './addresses.rules.ts';
import { findArticle, listArticles, listArticlesById, listArticlesInOrder } from './articles.queries.ts';
import { type ArticlesQuery, ShownArticle } from './articles.schema.ts';
import { ARTICLES_SOURCE } from './content.service.ts';

export { countArticles } from './articles.queries.ts';

const ARTICLES_PER_PAGE = 50;

/**
 * Passages requested per article. An article may have several passages, so a second search requests more if too few
 * articles were found.
 */
const PASSAGES_PER_ARTICLE = [3, 15];

/** Returns a page of the org's articles by creation, or the best articles for a question, best first. */
export async function listHelpArticles(
  db: Db,
  { publicUrl, semantics }: { publicUrl: string; semantics: SemanticSearch },
  orgId: string,
  { q, cursor, limit }: ArticlesQuery,
) {
  const withUrl = <A extends { path: string }>(article: A) => ({
    ...article,
    url: addressOf(publicUrl, orgId, article.path),
  });
  if (q !== undefined)
    return { items: (await searchArticles(db, semantics, orgId, { query: q, limit })).map(withUrl), next: null };
  const { items, next } = await pageOf(db, { cursor, limit }, (page) => listArticles(db, orgId, page));
  return { items: items.map(withUrl), next };
}

/** Returns the best articles for a question, best first, each with the sentence that was found. */
export async function searchArticles(
  db: Db,
  semantics: SemanticSearch,
  orgId: string,
  { query, limit }: { query: string; limit: number },
) {
  const passageOf = new Map<string, string>();
  for (const many of PASSAGES_PER_ARTICLE) {
    const passages = await findPassages(db, semantics, orgId, {
      query,
      limit: limit * many,
      explain: false,
      dataSources: [ARTICLES_SOURCE],
      visibility: ['public'],
    });
    for (const { id, content } of passages) if (!passageOf.has(id)) passageOf.set(id, content);
    if (passageOf.size >= limit || passages.length < limit * many) break;
  }
  if (passageOf.size === 0) return [];
  const chosen = [...passageOf.keys()].slice(0, limit);
  const byId = new Map((await listArticlesById(db, orgId, chosen)).map((article) => [article.id, article]));
  return chosen.flatMap((id) => {
    const article = byId.get(id);
    return article === undefined ? [] : [{ ...article, found: bestQuote(passageOf.get(id) ?? '', query).text }];
  });
}

/** Returns an article with its content. */
export async function getHelpArticle(db: Db, publicUrl: string, orgId: string, id: string) {
  const article = await findArticle(db, orgId, id);
  if (article === undefined) throw notFound('article');
  return { ...article, url: addressOf(publicUrl, orgId, article.path) };
}

/** Reads all articles that were created within given times, each as in the response to GET, some at a time. */
export async function* readArticles(
  trx: Trx,
  publicUrl: string,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<z.input<typeof ShownArticle>[]> {
  const pages = pagesById(ARTICLES_PER_PAGE, (page) => listArticlesInOrder(trx, orgId, { ...page, ...created }));
  for await (const rows of pages)
    yield rows.map((row) => z.encode(ShownArticle, { ...row, url: addressOf(publicUrl, orgId, row.path) }));
}
