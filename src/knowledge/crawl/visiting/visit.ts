import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExtractedPage, ExtractionError } from '../../extraction/contract.ts';
import { directivesOf } from '../../extraction/robots-directives.rules.ts';
import { type KnowledgeItem, type PreparedItem, prepareItem } from '../../index/service.ts';
import type { CrawlBatch } from '../context.ts';
import { deferHost, findHostWaitMs, reserveHostSlot } from '../fetching/hosts.queries.ts';
import { type FetchedPage, type FetchResult, fetchPage } from '../fetching/pages.ts';
import { renderPage } from '../fetching/scripted-pages.ts';
import { findJob } from '../jobs/queries.ts';
import { likenessOf } from '../likeness/likeness.ts';
import { distinctLinks, NO_LINKS, type PageLinks } from '../queue/discovered-links.rules.ts';
import type { LeasedPage } from '../queue/queries.ts';
import type { PageReason } from '../reasons.rules.ts';
import { hostWithoutWww, keysOf, pageUrlOf, parsePageUrl } from '../scope/urls.rules.ts';

/** A slot further away is left to a later batch. */
const MAX_SLOT_WAIT_MS = 5_000;
const MAX_HOPS = 5;
const MAX_REDIRECTS = 5;
const HOST_BACKOFF_MS = 10_000;
const REASON_OF: Record<ExtractionError['code'], PageReason> = {
  too_slow: 'too_slow_to_read',
  too_large: 'too_large',
  unreadable: 'unreadable',
  unsupported_type: 'unsupported_type',
};

export interface PageContent {
  title: string;
  markdown: string;
  language: string | null;
  links: PageLinks;
  etag: string | null;
  lastModified: string | null;
  rawHash: string;
  /** A browser has run its scripts. */
  isRendered: boolean;
  textHash: string;
  likeness: string;
  /** The item for the search index. Undefined: title and text are unchanged. */
  item: PreparedItem | undefined;
}

/** A page of the same site, linked from another page as its redirect target or original. */
export interface PageTarget {
  url: string;
  key: string;
}

/** The result of a visit. */
export type VisitResult =
  | { kind: 'content'; content: PageContent; duplicateOf: PageTarget | null }
  | { kind: 'unchanged' }
  /** A browser is to run its scripts. */
  | { kind: 'scripted'; links: PageLinks }
  | { kind: 'moved'; to: PageTarget; reason: 'redirect' }
  /** `links`: links to follow anyway. */
  | { kind: 'none'; reason: PageReason; detail: string | null; links: PageLinks; retryAfterMs: number | null };

export interface Visit {
  page: LeasedPage;
  /** The URL after redirects within the same page. */
  url: string;
  httpStatus: number | null;
  finding: VisitResult;
}

/**
 * Fetches and reads a page. Returns undefined if its host must not be requested for a while, or if the crawl has ended.
 */
export async function visitPage(visiting: CrawlBatch, page: LeasedPage): Promise<Visit | undefined> {
  let url = pageUrlOf(page.url);
  const visit = (finding: VisitResult, httpStatus: number | null = null): Visit => ({
    page,
    url: url.href,
    httpStatus,
    finding,
  });

  if (visiting.scripted === 'rendered' && visiting.deps.renderer === undefined)
    return visit(noContent('script_only', 'No Chromium is installed'));
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const robots = await visiting.robots.of(url);
    if ('reason' in robots) return visit(noContent(robots.reason));
    if (!robots.robots.allows(url)) return visit(noContent('robots'));
    if (!(await awaitHostSlot(visiting, url.host, robots.robots.delayMs))) return undefined;

    const fetched = await fetchPage(visiting.deps.egress, url.href, conditionsOf(visiting, page));
    if (fetched.kind === 'unchanged') {
      const wasAsked = conditionsOf(visiting, page) !== undefined;
      return visit(wasAsked ? { kind: 'unchanged' } : noContent('http_error'), 304);
    }
    if (fetched.kind === 'page') return visit(await readFetched(visiting, page, url, fetched), fetched.status);
    if (fetched.kind === 'failed') return visit(await handleFailure(visiting, url, page, fetched), fetched.status);

    const next = parsePageUrl(fetched.to, url.href);
    if (next?.href === url.href) return visit(noContent('redirect_loop'), fetched.status);
    if (next === undefined)
      return visit(noContent('http_error', `redirects to ${fetched.to.slice(0, 500)}`), fetched.status);
    if (next.host !== url.host && hostWithoutWww(next) === hostWithoutWww(url) && !visiting.site.isOnSite(next))
      await visiting.takeWww();
    if (keysOf(visiting.site.clean(next)).key !== page.url_key)
      return visit(movedResult(visiting, page, next), fetched.status);
    url = next;
  }
  return visit(noContent('redirect_loop'));
}

/** Returns the result of a visit without content to store. */
export const noContent = (reason: PageReason, detail: string | null = null, links = NO_LINKS): VisitResult => ({
  kind: 'none',
  reason,
  detail,
  links,
  retryAfterMs: null,
});

function movedResult({ site }: CrawlBatch, page: LeasedPage, to: URL): VisitResult {
  if (!site.isOnSite(to)) return noContent('redirect_other_site', to.href);
  if (page.redirects >= MAX_REDIRECTS) return noContent('redirect_loop', to.href);
  const target = site.clean(to);
  return { kind: 'moved', reason: 'redirect', to: { url: target.href, key: keysOf(target).key } };
}

/** Waits for the host's next slot. Returns false if it is too far away, or if the crawl has ended by then. */
export async function awaitHostSlot(visiting: CrawlBatch, host: string, ownDelayMs: number | null): Promise<boolean> {
  const delayMs = Math.max(visiting.deps.delayMs, ownDelayMs ?? 0);
  if (delayMs === 0 && visiting.waitUntil === null && (await visiting.deferralOf(host)) === 0) return true;
  const waitMs = await reserveHostSlot(visiting.db, host, { delayMs, maxWaitMs: MAX_SLOT_WAIT_MS });
  if (waitMs === null) {
    deferBatch(visiting, await findHostWaitMs(visiting.db, host));
    return false;
  }
  if (waitMs === 0) return true;
  await sleep(waitMs);
  const { orgId, datasourceId, jobId } = visiting.ref;
  return (await findJob(visiting.db, orgId, datasourceId, jobId))?.status === 'scraping';
}

function deferBatch(visiting: CrawlBatch, ms: number): void {
  visiting.waitUntil = Math.max(visiting.waitUntil ?? 0, performance.now() + ms);
}

/** Returns the page for a conditional request, or undefined if its stored version was extracted differently. */
function conditionsOf({ fetchedWith }: CrawlBatch, page: LeasedPage) {
  const isComparable = page.is_stored && !page.is_forced && page.fetched_with === fetchedWith && page.removal === null;
  return isComparable ? page : undefined;
}

async function handleFailure(
  visiting: CrawlBatch,
  { host }: URL,
  page: LeasedPage,
  { reason, detail, status, retryAfterMs }: Extract<FetchResult, { kind: 'failed' }>,
): Promise<VisitResult> {
  if (reason === 'not_found') return noContent(reason, status === 410 ? 'permanently gone (410)' : null);
  visiting.trouble = `${host}: ${detail ?? status ?? reason}`;
  if (reason !== 'busy') return noContent(reason, detail);
  const pauseMs = retryAfterMs ?? HOST_BACKOFF_MS * 2 ** page.tries;
  await deferHost(visiting.db, host, pauseMs);
  deferBatch(visiting, pauseMs);
  return { kind: 'none', reason, detail, links: NO_LINKS, retryAfterMs: pauseMs };
}

type HashedPage = FetchedPage & { rawHash: string };

async function readFetched(
  visiting: CrawlBatch,
  page: LeasedPage,
  url: URL,
  received: FetchedPage,
): Promise<VisitResult> {
  const fetched = { ...received, rawHash: hashOf(received.bytes) };
  if (conditionsOf(visiting, page) !== undefined && page.raw_hash?.toString('hex') === fetched.rawHash)
    return { kind: 'unchanged' };
  const extracted = await extract(visiting, url, fetched);
  if (typeof extracted === 'string') return noContent(extracted);
  const { links, result } = resultWithoutText(visiting, page, url, { fetched, extracted });
  if (result !== undefined) return result;
  if (!extracted.looksScripted) return readText(visiting, page, url, { fetched, extracted, links, isRendered: false });
  if (visiting.scripted === 'left_out') return noContent('script_only', null, links);
  if (visiting.scripted === 'deferred') return { kind: 'scripted', links };
  return readRendered(visiting, page, url, fetched);
}

/** Returns the links of a page, and its result if its text is not to be stored. */
function resultWithoutText(
  visiting: CrawlBatch,
  page: LeasedPage,
  url: URL,
  { fetched, extracted }: { fetched: FetchedPage; extracted: ExtractedPage },
): { links: PageLinks; result?: VisitResult } {
  const directives = directivesOf(fetched.robotsTag);
  const links = extracted.isNofollow || directives.isNofollow ? NO_LINKS : linksOf(extracted);
  if (extracted.isNoindex || directives.isNoindex) return { links, result: noContent('noindex', null, links) };
  const refresh = extracted.refresh === null ? undefined : parsePageUrl(extracted.refresh, url.href);
  if (refresh !== undefined && keysOf(refresh).key !== page.url_key)
    return { links, result: movedResult(visiting, page, refresh) };
  return { links };
}

/** Reads a page as a browser shows it. */
async function readRendered(
  visiting: CrawlBatch,
  page: LeasedPage,
  url: URL,
  fetched: HashedPage,
): Promise<VisitResult> {
  const rendered = await renderPage(visiting, url, fetched);
  if ('problem' in rendered) return noContent('script_only', rendered.problem);
  const shown = { ...fetched, bytes: rendered.html, contentType: 'text/html; charset=utf-8' };
  const extracted = await extract(visiting, url, shown);
  if (typeof extracted === 'string') return noContent(extracted);
  const { links, result } = resultWithoutText(visiting, page, url, { fetched, extracted });
  if (result !== undefined) return result;
  if (extracted.looksScripted) return noContent('script_only', 'A browser shows hardly any text', links);
  return readText(visiting, page, url, { fetched, extracted, links, isRendered: true });
}

async function readText(
  visiting: CrawlBatch,
  page: LeasedPage,
  url: URL,
  {
    fetched,
    extracted,
    links,
    isRendered,
  }: { fetched: HashedPage; extracted: ExtractedPage; links: PageLinks; isRendered: boolean },
): Promise<VisitResult> {
  const markdown = extracted.markdown.trim();
  if (markdown === '') return noContent('empty', null, links);
  const omission = page.choice === 'included' ? undefined : visiting.site.omissionOf(url);
  if (omission !== undefined) return noContent(omission, null, links);

  const text = { title: extracted.title.trim() || url.pathname, markdown, language: extracted.language };
  const textHash = hashOf(markdown);
  if (!page.is_stored && page.choice !== 'included' && page.text_hash?.toString('hex') === textHash)
    return noContent('soft_not_found', null, links); // the text is kept of no other page that is not stored
  const isSame = page.is_stored && page.text_hash?.toString('hex') === textHash && page.title === text.title;
  const item = isSame ? undefined : await prepareContent(visiting, page, { ...text, url: url.href });
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
    likeness: likenessOf(text),
    item,
  };
  return {
    kind: 'content',
    content,
    duplicateOf: duplicateOf(visiting, page, url, extracted.canonical ?? fetched.canonical),
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
      extractor.split,
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

export async function extract(
  visiting: CrawlBatch,
  url: URL,
  { bytes, contentType }: FetchedPage,
): Promise<ExtractedPage | PageReason> {
  try {
    return await visiting.deps.extractor.extract({
      bytes,
      contentType,
      url: url.href,
      ignoredParameters: visiting.site.ignoredParameters,
    });
  } catch (error) {
    if (!(error instanceof ExtractionError)) throw error;
    return REASON_OF[error.code];
  }
}

const hashOf = (content: Buffer | string) => hash('sha256', content);
