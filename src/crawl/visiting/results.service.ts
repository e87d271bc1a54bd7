import { setImmediate } from 'node:timers/promises';
import type { Trx } from '../../db/connect.ts';
import { pipelined } from '../../db/connections/pipeline.ts';
import { isStatementTimeout, isUnstorable } from '../../db/failures.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { hasKnowledgeModel, requestEmbedding } from '../../knowledge/embedding/service.ts';
import { indexPrepared } from '../../knowledge/index/service.ts';
import type { CrawlBatch } from '../context.ts';
import type { CrawlRef } from '../contract.ts';
import { lockJob } from '../jobs/shared.queries.ts';
import { discoveredUrlsOf } from '../queue/discovered-links.rules.ts';
import {
  type DiscoveredUrl,
  includeDiscovered,
  insertDiscovered,
  type QueueCapacity,
} from '../queue/discovered-links.shared.queries.ts';
import { diffOf } from './diff.ts';
import { outcomeOf, type VisitOutcome } from './outcomes.rules.ts';
import {
  incrementCounts,
  insertChanges,
  listPagesByKeys,
  listTexts,
  type NewChange,
  updateVisited,
} from './shared.queries.ts';
import { noContent, type Visit } from './visit-results.rules.ts';

/** Rolls back the results of a crawl that ended in the meantime. */
class CrawlEnded extends Error {}

/**
 * Rolls back results because a user or another attempt of the batch took over some pages. `left` are the remaining
 * pages of this batch.
 */
class PagesReassigned extends Error {
  readonly left: ReadonlySet<string>;

  constructor(left: ReadonlySet<string>) {
    super('Pages were reassigned');
    this.left = left;
  }
}

/** A page may have 10,000 links, and a write many pages. */
const URLS_PER_STATEMENT = 5_000;
/** Others get a turn after a page with so many. */
const MANY_LINKS = 500;

/**
 * Stores the results of visits: pages, search index, report, counts and links to follow.
 * Ignores crawls that have ended and pages no longer leased by the batch. A page rejected by the database counts as
 * unreadable and does not block others.
 */
export async function writeVisits(batch: CrawlBatch, found: Visit[]): Promise<void> {
  const { capacity, queuedLinks } = batch;
  const visits = [...new Map(found.map((visit) => [visit.page.id, visit])).values()]; // keeps the last visit of each page
  try {
    const { urls, inserted } = await inTransaction(batch.db, (trx) => writeInTransaction(trx, batch, visits));
    for (const url of urls) queuedLinks.add(url);
    capacity.queued -= inserted.queued;
    capacity.refused -= inserted.refused;
  } catch (error) {
    const [visit, ...others] = visits;
    if (error instanceof PagesReassigned) {
      const left = visits.filter(({ page }) => error.left.has(page.id));
      if (left.length > 0) await writeVisits(batch, left);
    } else if (others.length > 0 && (isHopeless(error) || isStatementTimeout(error))) {
      const half = Math.ceil(visits.length / 2);
      await writeVisits(batch, visits.slice(0, half));
      await writeVisits(batch, visits.slice(half));
    } else if (visit !== undefined && visit.result.kind !== 'none' && isHopeless(error)) {
      await writeVisits(batch, [unreadable(visit)]);
    } else if (!(error instanceof CrawlEnded)) throw error;
  }
}

/** A retry with the same text fails again. */
const isHopeless = (error: unknown): boolean => error instanceof RangeError || isUnstorable(error);

const unreadable = (visit: Visit): Visit => ({ ...visit, result: noContent('unreadable') });

/**
 * Writes to the search index before locking the crawl, since indexing takes the longest. The crawl is locked first, one
 * write at a time, if there are possible duplicates or updates of indexed pages.
 */
async function writeInTransaction(trx: Trx, visiting: CrawlBatch, visits: Visit[]): Promise<Queued> {
  const { ref, batch } = visiting;
  if (visits.some((visit) => originalOf(visit) !== null)) await lockCrawl(trx, ref);
  const doubles = await findDuplicates(trx, visiting, visits);
  const outcomes = visits.map((visit) => outcomeOf(visit, visiting.fetchedWith, doubles.has(visit)));
  const changed = outcomes.filter(isChanged);
  const updated = changed.filter(({ change }) => change === 'updated');
  if (updated.length > 0) await lockCrawl(trx, ref);
  const before = await listTexts(trx, ref.orgId, updated.map(idOf));
  const hasNewChunks = await indexPrepared(
    trx,
    ref.orgId,
    outcomes.flatMap(({ item }) => item ?? []),
  );

  const rows = outcomes.map(({ row }) => row);
  const pipeline = await pipelined(trx);
  const [, written, isToEmbed] = await Promise.all([
    lockCrawl(pipeline, ref),
    updateVisited(pipeline, ref, batch, rows),
    hasNewChunks && hasKnowledgeModel(pipeline, ref.orgId),
  ]);
  if (written.size < rows.length) throw new PagesReassigned(written);
  if (isToEmbed) await requestEmbedding(trx, ref.orgId);
  const changes: NewChange[] = [];
  for (const outcome of changed) {
    changes.push(changeOf(outcome, before));
    if (outcome.change === 'updated') await setImmediate(); // computing a diff may take a while
  }
  await insertChanges(trx, ref.orgId, ref.jobId, changes);
  const queued = await queueLinks(trx, visiting, visits, outcomes);
  const count = (change: VisitOutcome['change']) => outcomes.filter((outcome) => outcome.change === change).length;
  await incrementCounts(trx, ref, {
    completed: outcomes.length - count('later'),
    new: count('new'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    dropped: queued.dropped,
  });
  return queued;
}

async function lockCrawl(trx: Trx, { orgId, datasourceId, jobId }: CrawlRef): Promise<void> {
  if ((await lockJob(trx, orgId, datasourceId, jobId)) === undefined) throw new CrawlEnded();
}

const idOf = ({ row }: VisitOutcome): string => row.id;
const isChanged = ({ change }: VisitOutcome): boolean => change === 'new' || change === 'updated';
const originalOf = (visit: Visit) => (visit.result.kind === 'content' ? visit.result.duplicateOf : null);

interface Queued {
  urls: string[];
  inserted: QueueCapacity;
  dropped: number;
}

/** Returns the visits of duplicates: their originals exist or have not been visited yet. */
async function findDuplicates(trx: Trx, { ref }: CrawlBatch, visits: Visit[]): Promise<Set<Visit>> {
  const keys = visits.flatMap((visit) => originalOf(visit)?.key ?? []);
  const rows = await listPagesByKeys(trx, ref.orgId, ref.datasourceId, keys);
  const known = new Map(rows.map((row) => [row.url_key, row]));
  /** Pages of this group classified as duplicates, with their originals. */
  const settled = new Map<string, string>();
  const doubles = new Set<Visit>();
  for (const visit of visits) {
    const key = originalOf(visit)?.key;
    if (key === undefined) continue;
    const original = known.get(key);
    const leadsBack = settled.get(key) === visit.page.url_key;
    const isVisited = original !== undefined && original.job_id === ref.jobId && !original.is_queued;
    const isMoved = original?.reason === 'canonical' || original?.reason === 'redirect';
    const isMissing =
      isVisited &&
      !original.is_stored &&
      original.choice === null &&
      (!isMoved || original.leads_to === visit.page.url_key);
    if (leadsBack || isMissing) continue;
    doubles.add(visit);
    settled.set(visit.page.url_key, key);
  }
  return doubles;
}

const changeOf = ({ row, change }: VisitOutcome, before: Map<string, string>): NewChange => ({
  id: newId(),
  page_id: row.id,
  kind: change === 'new' ? 'new' : 'updated',
  url: row.url,
  title: row.title,
  diff: change === 'new' ? null : diffOf(before.get(row.id) ?? '', row.markdown ?? ''),
});

/** Queues followed links, canonical pages and redirect targets. A redirect target is included if its page was. */
async function queueLinks(trx: Trx, batch: CrawlBatch, visits: Visit[], outcomes: VisitOutcome[]): Promise<Queued> {
  const { site, ref, capacity, queuedLinks, isFull } = batch;
  const linksOf = new Map(isFull ? outcomes.map(({ row, links }) => [row.id, links.urls]) : []);
  const urls: string[] = [];
  const wanted: string[] = [];
  const found: DiscoveredUrl[] = [];
  for (const { page, url, result } of visits) {
    const { depth } = page;
    const links = linksOf.get(page.id)?.filter((link) => !queuedLinks.has(link)) ?? [];
    urls.push(...links);
    const next = discoveredUrlsOf(site, links, { depth: depth + 1, foundOn: url });
    if (result.kind === 'moved') {
      const isWanted = page.choice === 'included';
      if (isWanted) wanted.push(result.to.key);
      next.push(
        ...discoveredUrlsOf(site, [result.to.url], { depth, foundOn: url, redirects: page.redirects + 1, isWanted }),
      );
    }
    if (result.kind === 'content' && result.duplicateOf !== null) {
      next.push(...discoveredUrlsOf(site, [result.duplicateOf.url], { depth, foundOn: url }));
    }
    for (const one of next) found.push(one);
    if (next.length >= MANY_LINKS) await setImmediate(); // to look at them takes a while
  }
  const refusedFirst = found.toSorted((a, b) => Number(a.refusal === null) - Number(b.refusal === null));
  const fresh = [...new Map(refusedFirst.map((one) => [one.key, one])).values()];
  const inserted = { queued: 0, refused: 0 };
  let dropped = isFull ? outcomes.reduce((sum, { links }) => sum + links.cut, 0) : 0;
  for (let from = 0; from < fresh.length; from += URLS_PER_STATEMENT) {
    const room = { queued: capacity.queued - inserted.queued, refused: capacity.refused - inserted.refused };
    const result = await insertDiscovered(trx, ref, fresh.slice(from, from + URLS_PER_STATEMENT), room);
    inserted.queued += result.inserted.queued;
    inserted.refused += result.inserted.refused;
    dropped += result.dropped;
  }
  if (wanted.length > 0) await includeDiscovered(trx, ref, wanted);
  return { urls, inserted, dropped };
}
