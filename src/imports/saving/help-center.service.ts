import { createHash } from 'node:crypto';
import type { Trx } from '../../db/connect.ts';
import { type ExtractedPage, ExtractionError } from '../../extraction/contract.ts';
import type { Extractor } from '../../extraction/service.ts';
import { escapeHtml } from '../../html/page.rules.ts';
import { type HelpArticle, type HelpCategory, MAX_CONTENT } from '../../knowledge/help-center/content.schema.ts';
import { changeContent } from '../../knowledge/help-center/content.service.ts';
import type { Finding, Outcome } from '../findings.rules.ts';
import { clean } from '../reading/record-parts.rules.ts';
import type { ArticleRecord, SourceRecord } from '../records.rules.ts';
import {
  type ArticleMemory,
  articleOf,
  type Categories,
  CHANGED_HERE,
  comparePlaces,
  DELETED_HERE,
  findArticle,
  pathOf,
  placesOf,
  putArticle,
} from './help-center.rules.ts';
import { findImported, type ImportedRecord, type Origin, upsertImported } from './shared.queries.ts';

/** An article with its content as Markdown, or why it has none. */
export type ConvertedArticle =
  | { record: ArticleRecord; markdown: string; findings: Finding[] }
  | { record: ArticleRecord; refusal: Outcome };

/** Converts the body of an article to Markdown, in a thread with limits of time and memory. */
export async function convertArticle(
  extractor: Pick<Extractor, 'extract'>,
  record: ArticleRecord,
): Promise<ConvertedArticle> {
  const { externalId, body, title, url = 'https://help.invalid/' } = record;
  const refused = (code: 'article_too_long' | 'not_readable', reason: string): ConvertedArticle => ({
    record,
    refusal: { result: 'left_out', externalId, findings: [{ code, reason }] },
  });
  try {
    const { markdown, readPart } =
      'html' in body
        ? await readHtml(extractor, { html: body.html, title, url })
        : { markdown: clean(body.markdown), readPart: null };
    const findings: Finding[] = readPart === null ? [] : [{ code: 'text_cut', reason: readPart }];
    if (markdown.length <= MAX_CONTENT) return { record, markdown, findings };
    return refused('article_too_long', `The article has more than ${MAX_CONTENT} characters`);
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
    return refused('not_readable', error.message);
  }
}

async function readHtml(
  extractor: Pick<Extractor, 'extract'>,
  { html, title, url }: { html: string; title: string; url: string },
): Promise<Pick<ExtractedPage, 'markdown' | 'readPart'>> {
  if (html.trim() === '') return { markdown: '', readPart: null };
  const page = `<!doctype html><html><head><title>${escapeHtml(title)}</title></head><body><main><article>${html}</article></main></body></html>`;
  const address = URL.canParse(url) ? url : 'https://help.invalid/';
  return extractor.extract({
    bytes: Buffer.from(page),
    contentType: 'text/html; charset=utf-8',
    url: address,
    ignoredParameters: [],
  });
}

interface Contents {
  records: SourceRecord[];
  articles: Map<string, ConvertedArticle>;
}

/** Returns the categories that records describe. What an article says of its category only counts if nothing else does. */
function categoriesOf(records: SourceRecord[]): Categories {
  const categories: Categories = new Map();
  for (const record of records) {
    if (record.kind !== 'category') continue;
    const { category } = record;
    const known = categories.get(category.externalId);
    if (known === undefined || known.position === Number.MAX_SAFE_INTEGER)
      categories.set(category.externalId, category);
  }
  return categories;
}

/**
 * Imports articles below their categories into the help center. An article that was imported before is changed if nobody has
 * changed it here. Other articles stay.
 */
export async function importHelpCenter(
  trx: Trx,
  origin: Origin & { publicUrl: string },
  { records, articles }: Contents,
): Promise<Outcome[]> {
  const categories = categoriesOf(records);
  const known = await findImported<ArticleMemory>(trx, origin, 'article', [...articles.keys()]);
  const outcomes = new Map<string, Outcome>();
  const remembered: ImportedRecord[] = [];
  await changeContent(trx, origin, (roots) => {
    for (const one of inOrder([...articles.values()], categories)) {
      const { externalId } = one.record;
      const { outcome, memory } = place(roots, one, { categories, known: known.get(externalId)?.data });
      outcomes.set(externalId, outcome);
      if (memory !== undefined) remembered.push({ external_id: externalId, id: null, data: { ...memory } });
    }
    return roots;
  });
  await upsertImported(trx, origin, 'article', remembered);
  return records.flatMap((record): Outcome[] => {
    if (record.kind === 'left_out') return [{ result: 'left_out', ...record }];
    if (record.kind !== 'article') return [];
    const outcome = outcomes.get(record.article.externalId);
    outcomes.delete(record.article.externalId); // a second record of the same article counts as unchanged
    return [outcome ?? { result: 'unchanged', externalId: record.article.externalId, findings: [] }];
  });
}

/** Sorts articles by the positions of their categories, from the root on, and by their own. */
function inOrder(articles: ConvertedArticle[], categories: Categories): ConvertedArticle[] {
  const placed = articles.map((article) => ({ article, places: placesOf(categories, article.record) }));
  return placed.toSorted((one, other) => comparePlaces(one.places, other.places)).map(({ article }) => article);
}

interface Placement {
  outcome: Outcome;
  memory?: ArticleMemory;
}

/** Puts an article into the tree, unless it is there or its place is somebody's own. */
function place(
  roots: HelpCategory[],
  converted: ConvertedArticle,
  { categories, known }: { categories: Categories; known: ArticleMemory | undefined },
): Placement {
  if ('refusal' in converted) return { outcome: converted.refusal };
  const { record, markdown, findings } = converted;
  const { externalId } = record;
  const path = pathOf(categories, record);
  const given = articleOf(record, markdown);
  const unchanged = (...because: Finding[]): Placement => ({
    outcome: { result: 'unchanged', externalId, findings: because },
  });
  if (known === undefined) {
    putArticle(roots, path, given);
    return { outcome: { result: 'created', externalId, findings }, memory: memoryOf(path, given) };
  }
  const stored = findArticle(roots, known.path);
  if (stored === undefined) return unchanged(DELETED_HERE);
  if (hashOf(given) === known.hash) return unchanged();
  if (hashOf(stored) !== known.hash) return unchanged(CHANGED_HERE);
  Object.assign(stored, { ...given, slug: stored.slug });
  return { outcome: { result: 'updated', externalId, findings }, memory: { path: known.path, hash: hashOf(given) } };
}

const memoryOf = (path: HelpCategory[], article: HelpArticle): ArticleMemory => ({
  path: [...path.map(({ slug }) => slug), article.slug].join('/'),
  hash: hashOf(article),
});

const hashOf = ({ title, content_markdown, meta_description }: HelpArticle): string =>
  createHash('sha256')
    .update(JSON.stringify([title, content_markdown ?? null, meta_description ?? null]))
    .digest('base64');
