import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlBatch } from '../context.ts';
import { deferHost, findHostWaitMs, reserveHostSlot } from '../fetching/hosts.shared.queries.ts';
import { type FetchResult, fetchPage } from '../fetching/pages.ts';
import { findJob } from '../jobs/shared.queries.ts';
import { NO_LINKS } from '../queue/discovered-links.rules.ts';
import type { LeasedPage } from '../queue/shared.queries.ts';
import { hostWithoutWww, keysOf, pageUrlOf, parsePageUrl } from '../scope/urls.rules.ts';
import { conditionsOf, readFetched } from './page-reading.ts';
import { movedResult, noContent, type Visit, type VisitResult } from './visit-results.rules.ts';

/** A slot further away is left to a later batch. */
const MAX_SLOT_WAIT_MS = 5_000;
const MAX_HOPS = 5;
const HOST_BACKOFF_MS = 10_000;
const LOOP = 'It redirects to itself';
const COOKIE_LOOP = 'It redirects to itself until a cookie is set, and crawls keep no cookies';

/**
 * Fetches and reads a page. Returns undefined if its host must not be requested for a while, or if the crawl has ended.
 */
export async function visitPage(batch: CrawlBatch, page: LeasedPage): Promise<Visit | undefined> {
  let url = pageUrlOf(page.url);
  const visit = (result: VisitResult, httpStatus: number | null = null): Visit => ({
    page,
    url: url.href,
    httpStatus,
    result,
  });

  if (batch.scripted === 'rendered' && batch.deps.renderer === undefined)
    return visit(noContent('script_only', 'No Chromium is installed'));
  let setsCookie = false;
  const loop = () => noContent('redirect_loop', setsCookie ? COOKIE_LOOP : LOOP);
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const robots = await batch.robots.of(url);
    if ('reason' in robots) return visit(noContent(robots.reason));
    if (!robots.robots.allows(url)) return visit(noContent('robots'));
    if (!(await awaitHostSlot(batch, url.host, robots.robots.delayMs))) return undefined;

    const fetched = await fetchPage(batch.deps.egress, url.href, conditionsOf(batch, page));
    if (fetched.kind === 'unchanged') {
      const wasAsked = conditionsOf(batch, page) !== undefined;
      return visit(wasAsked ? { kind: 'unchanged' } : noContent('http_error'), 304);
    }
    if (fetched.kind === 'page') return visit(await readFetched(batch, page, url, fetched), fetched.status);
    if (fetched.kind === 'failed') return visit(await handleFailure(batch, url, page, fetched), fetched.status);

    setsCookie ||= fetched.setsCookie;
    const next = parsePageUrl(fetched.to, url.href);
    if (next?.href === url.href) return visit(loop(), fetched.status);
    if (next === undefined)
      return visit(noContent('http_error', `redirects to ${fetched.to.slice(0, 500)}`), fetched.status);
    if (next.host !== url.host && hostWithoutWww(next) === hostWithoutWww(url) && !batch.site.isOnSite(next))
      await batch.includeWww();
    if (keysOf(batch.site.clean(next)).key !== page.url_key)
      return visit(movedResult(batch, page, next), fetched.status);
    url = next;
  }
  return visit(loop());
}

/** Waits for the host's next slot. Returns false if it is too far away, or if the crawl has ended by then. */
export async function awaitHostSlot(batch: CrawlBatch, host: string, ownDelayMs: number | null): Promise<boolean> {
  const delayMs = Math.max(batch.deps.delayMs, ownDelayMs ?? 0);
  if (delayMs === 0 && batch.waitUntil === null && (await batch.deferralOf(host)) === 0) return true;
  const waitMs = await reserveHostSlot(batch.db, host, { delayMs, maxWaitMs: MAX_SLOT_WAIT_MS });
  if (waitMs === null) {
    deferBatch(batch, await findHostWaitMs(batch.db, host));
    return false;
  }
  if (waitMs === 0) return true;
  await sleep(waitMs);
  const { orgId, datasourceId, jobId } = batch.ref;
  return (await findJob(batch.db, orgId, datasourceId, jobId))?.status === 'scraping';
}

function deferBatch(batch: CrawlBatch, ms: number): void {
  batch.waitUntil = Math.max(batch.waitUntil ?? 0, performance.now() + ms);
}

async function handleFailure(
  batch: CrawlBatch,
  { host }: URL,
  page: LeasedPage,
  { reason, detail, status, retryAfterMs }: Extract<FetchResult, { kind: 'failed' }>,
): Promise<VisitResult> {
  if (reason === 'not_found') return noContent(reason, status === 410 ? 'permanently gone (410)' : null);
  batch.lastProblem = `${host}: ${detail ?? status ?? reason}`;
  if (reason !== 'busy') return noContent(reason, detail);
  const pauseMs = retryAfterMs ?? HOST_BACKOFF_MS * 2 ** page.tries;
  await deferHost(batch.db, host, pauseMs);
  deferBatch(batch, pauseMs);
  return { kind: 'none', reason, detail, links: NO_LINKS, retryAfterMs: pauseMs };
}
