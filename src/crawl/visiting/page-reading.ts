import { hash } from 'node:crypto';
import { type ExtractedPage, ExtractionError, textOf } from '../../extraction/contract.ts';
import { directivesOf } from '../../extraction/robots-directives.rules.ts';
import type { ReadPage } from '../../extraction/service.ts';
import { textHashOf } from '../../extraction/text-hash.ts';
import { type KnowledgeItem, type PreparedItem, prepareItem } from '../../knowledge/index/service.ts';
import type { CrawlBatch } from '../context.ts';
import type { FetchedPage } from '../fetching/pages.ts';
import { renderPage } from '../fetching/scripted-pages.ts';
import { distinctLinks, NO_LINKS, type PageLinks } from '../queue/discovered-links.rules.ts';
import type { LeasedPage } from '../queue/shared.queries.ts';
import type { PageReason } from '../reasons.rules.ts';
import { keysOf, parsePageUrl } from '../scope/urls.rules.ts';
import { isMissingNotice } from '../similarity/missing-notices.rules.ts';
import { similarityOf } from '../similarity/similarity.ts';
import { movedResult, noContent, type PageTarget, type VisitResult } from './visit-results.rules.ts';

const REASON_OF: Record<ExtractionError['code'], PageReason> = {
  too_slow: 'too_slow_to_read',
  too_large: 'too_large',
  unreadable: 'unreadable',
  unsupported_type: 'unsupported_type',
};

/** Returns the page for a conditional request, or undefined if its stored version was extracted differently. */
export function conditionsOf({ fetchedWith }: CrawlBatch, page: LeasedPage) {
  const isComparable = page.is_stored && !page.is_forced && page.fetched_with === fetchedWith && page.removal === null;
  return isComparable ? page : undefined;
}

type HashedPage = FetchedPage & { rawHash: string };

/** Reads a fetched page: its text, its links and what it says about itself. */
export async function readFetched(
  batch: CrawlBatch,
  page: LeasedPage,
  url: URL,
  received: FetchedPage,
): Promise<VisitResult> {
  const fetched = { ...received, rawHash: hashOf(received.bytes) };
  if (conditionsOf(batch, page) !== undefined && page.raw_hash?.toString('hex') === fetched.rawHash)
    return { kind: 'unchanged' };
  const extracted = await extract(batch, url, fetched, page);
  if (typeof extracted === 'string') return noContent(extracted);
  const { links, result } = resultWithoutText(batch, page, url, { fetched, extracted });
  if (result !== undefined) return result;
  if (!extracted.looksScripted) return readText(batch, page, url, { fetched, extracted, links, isRendered: false });
  if (batch.scripted === 'left_out') return noContent('script_only', null, links);
  if (batch.scripted === 'deferred') return { kind: 'scripted', links };
  return readRendered(batch, page, url, fetched);
}

/** Returns the links of a page, and its result if its text is not to be stored. */
function resultWithoutText(
  batch: CrawlBatch,
  page: LeasedPage,
  url: URL,
  { fetched, extracted }: { fetched: FetchedPage; extracted: ExtractedPage },
): { links: PageLinks; result?: VisitResult } {
  const directives = directivesOf(fetched.robotsTag);
  const links = extracted.isNofollow || directives.isNofollow ? NO_LINKS : linksOf(extracted);
  if (extracted.isNoindex || directives.isNoindex) return { links, result: noContent('noindex', null, links) };
  const refresh = extracted.refresh === null ? undefined : parsePageUrl(extracted.refresh, url.href);
  if (refresh !== undefined && keysOf(refresh).key !== page.url_key)
    return { links, result: movedResult(batch, page, refresh) };
  return { links };
}

/** Reads a page as a browser shows it. */
async function readRendered(batch: CrawlBatch, page: LeasedPage, url: URL, fetched: HashedPage): Promise<VisitResult> {
  const rendered = await renderPage(batch, url, fetched);
  if ('problem' in rendered) return noContent('script_only', rendered.problem);
  const shown = { ...fetched, bytes: rendered.html, contentType: 'text/html; charset=utf-8' };
  const extracted = await extract(batch, url, shown, page);
  if (typeof extracted === 'string') return noContent(extracted);
  const { links, result } = resultWithoutText(batch, page, url, { fetched, extracted });
  if (result !== undefined) return result;
  if (extracted.looksScripted) return noContent('script_only', 'A browser shows hardly any text', links);
  return readText(batch, page, url, { fetched, extracted, links, isRendered: true });
}

async function readText(
  batch: CrawlBatch,
  page: LeasedPage,
  url: URL,
  {
    fetched,
    extracted,
    links,
    isRendered,
  }: { fetched: HashedPage; extracted: ReadPage; links: PageLinks; isRendered: boolean },
): Promise<VisitResult> {
  const { title, markdown } = textOf(extracted, url.href);
  if (markdown === '') return noContent('empty', null, links);
  const omission = page.choice === 'included' ? undefined : batch.site.omissionOf(url);
  if (omission !== undefined) return noContent(omission, null, links);

  const text = { title, markdown, language: extracted.language };
  if (page.choice !== 'included' && isMissingNotice(text))
    return noContent('soft_not_found', 'It says only that it is missing', links);
  const textHash = textHashOf(markdown);
  if (!page.is_stored && page.choice !== 'included' && page.text_hash?.toString('hex') === textHash)
    return noContent('soft_not_found', null, links); // the text is kept of no other page that is not stored
  const isSame = page.is_stored && page.text_hash?.toString('hex') === textHash && page.title === text.title;
  const item = isSame ? undefined : await prepareContent(batch, page, { ...text, url: url.href }, extracted.parts);
  if (item === 'unreadable') return noContent(item);
  const { etag, lastModified, rawHash } = fetched;
  const content = {
    ...text,
    links,
    etag,
    lastModified,
    rawHash,
    isRendered,
    textHash,
    similarity: similarityOf(text),
    readPart: extracted.readPart,
    item,
  };
  return {
    kind: 'content',
    content,
    duplicateOf: duplicateOf(batch, page, url, extracted.canonical ?? fetched.canonical),
  };
}

function linksOf({ links, cutLinks }: ExtractedPage): PageLinks {
  const { urls, cut } = distinctLinks(links);
  return { urls, cut: cut + cutLinks };
}

async function prepareContent(
  { deps: { extractor } }: CrawlBatch,
  { id }: LeasedPage,
  text: Pick<KnowledgeItem, 'url' | 'title' | 'markdown' | 'language'>,
  parts: ReadPage['parts'],
): Promise<PreparedItem | 'unreadable'> {
  try {
    return await prepareItem(
      {
        ...text,
        id,
        sourceType: 'website',
        source: 'website',
        visibility: 'public',
        channels: [],
        segments: [],
        isDraft: false,
      },
      parts === undefined ? extractor.split : () => parts,
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return 'unreadable'; // as in writeVisits: a retry with the same text fails again
  }
}

/** Returns the page's canonical page, if it belongs to the site and may be fetched. */
function duplicateOf(
  { site, isFull }: CrawlBatch,
  page: LeasedPage,
  url: URL,
  canonical: string | null,
): PageTarget | null {
  const original = canonical === null || page.choice === 'included' ? undefined : parsePageUrl(canonical, url.href);
  if (original === undefined || !isFull || !site.isOnSite(original)) return null;
  const { key } = keysOf(original);
  if (key === page.url_key || site.refusalOf(original, { depth: page.depth, isWanted: false }) !== undefined)
    return null;
  return { url: original.href, key };
}

/** Extracts the content of a page, or returns the reason why it has none. The text of a `page` of the crawl is also split. */
export async function extract(
  batch: CrawlBatch,
  url: URL,
  { bytes, contentType }: FetchedPage,
  page?: LeasedPage,
): Promise<ReadPage | PageReason> {
  try {
    return await batch.deps.extractor.extract({
      bytes,
      contentType,
      url: url.href,
      ignoredParameters: batch.site.ignoredParameters,
      ...(page && { split: { unlessHash: page.text_hash?.toString('hex') ?? null } }),
    });
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
    return REASON_OF[error.code];
  }
}

const hashOf = (content: Buffer) => hash('sha256', content);
