import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { indexItems, type KnowledgeItem, removeItems } from '../index/indexing.service.ts';
import type { Visiting } from './context.ts';
import type { CrawlRef } from './contract.ts';
import { insertFound, type Room } from './found.queries.ts';
import { foundAt } from './found.ts';
import { lockJob } from './jobs.queries.ts';
import { type Outcome, outcomeOf } from './outcomes.rules.ts';
import { diffOf } from './texts.ts';
import type { Visit } from './visit.ts';
import {
  addCounts,
  insertChanges,
  listByKeys,
  type NewChange,
  readTexts,
  updateVisited,
  type VisitedPage,
} from './visits.queries.ts';

/** Thrown to undo what was written for a crawl that has ended meanwhile. */
class CrawlEnded extends Error {}

/** Writes down what visits found: pages, search index, report, counts and the links that are to be followed. Nothing of a crawl that has ended. */
export async function writeVisits(visiting: Visiting, visits: Visit[]): Promise<void> {
  const { room, handed } = visiting;
  try {
    const { urls, inserted } = await inTransaction(visiting.db, (trx) => write(trx, visiting, visits));
    for (const url of urls) handed.add(url);
    room.queued -= inserted.queued;
    room.refused -= inserted.refused;
  } catch (error) {
    if (!(error instanceof CrawlEnded)) throw error;
  }
}

/** The search index takes the longest, so it comes before the crawl is held. Where doubles are to be told from originals, one after the other decides. */
async function write(trx: Db, visiting: Visiting, visits: Visit[]): Promise<Queued> {
  const { ref } = visiting;
  if (visits.some((visit) => originalOf(visit) !== null)) await hold(trx, ref);
  const doubles = await findDoubles(trx, visiting, visits);
  const outcomes = visits.map((visit) => outcomeOf(visit, visiting.fetchedWith, doubles.has(visit)));
  const changed = outcomes.filter(isChanged);
  const before = await readTexts(trx, ref.orgId, changed.filter(({ change }) => change === 'updated').map(idOf));
  await indexItems(
    trx,
    ref.orgId,
    changed.map(({ row }) => itemOf(ref.datasourceId, row)),
  );

  await hold(trx, ref);
  const rows = outcomes.map(({ row }) => row);
  const written = await updateVisited(trx, ref.orgId, ref.datasourceId, rows);
  const kept = outcomes.filter((outcome) => written.has(idOf(outcome)));
  await removeItems(trx, ref.orgId, changed.filter((outcome) => !written.has(idOf(outcome))).map(idOf)); // a user was quicker
  const changes = kept.filter(isChanged).map((outcome) => changeOf(outcome, before));
  await insertChanges(trx, ref.orgId, ref.jobId, changes);
  const queued = visiting.isFull ? await queueLinks(trx, visiting, visits, kept) : NONE_QUEUED;
  const count = (change: Outcome['change']) => kept.filter((outcome) => outcome.change === change).length;
  await addCounts(trx, ref.orgId, ref, {
    completed: kept.length - count('later'),
    new: count('new'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    dropped: queued.dropped,
  });
  return queued;
}

async function hold(trx: Db, { orgId, datasourceId, jobId }: CrawlRef): Promise<void> {
  if ((await lockJob(trx, orgId, datasourceId, jobId)) === undefined) throw new CrawlEnded();
}

const idOf = ({ row }: Outcome): string => row.id;
const isChanged = ({ change }: Outcome): boolean => change === 'new' || change === 'updated';
const originalOf = (visit: Visit) => (visit.finding.kind === 'content' ? visit.finding.duplicateOf : null);

interface Queued {
  urls: string[];
  inserted: Room;
  dropped: number;
}

const NONE_QUEUED: Queued = { urls: [], inserted: { queued: 0, refused: 0 }, dropped: 0 };

/** The visits whose pages have an original that is there, or is still to be looked at. */
async function findDoubles(trx: Db, { ref }: Visiting, visits: Visit[]): Promise<Set<Visit>> {
  const keys = visits.flatMap((visit) => originalOf(visit)?.key ?? []);
  const rows = await listByKeys(trx, ref.orgId, ref.datasourceId, keys);
  const known = new Map(rows.map((row) => [row.url_key, row]));
  /** Pages of this group that were found to be doubles, with their originals. */
  const settled = new Map<string, string>();
  const doubles = new Set<Visit>();
  for (const visit of visits) {
    const key = originalOf(visit)?.key;
    if (key === undefined) continue;
    const original = known.get(key);
    const leadsBack = settled.get(key) === visit.page.url_key;
    const isLookedAt = original !== undefined && original.job_id === ref.jobId && !original.is_queued;
    const isMoved = original?.reason === 'canonical' || original?.reason === 'redirect';
    const isMissing =
      isLookedAt &&
      !original.is_stored &&
      original.choice === null &&
      (!isMoved || original.leads_to === visit.page.url_key);
    if (leadsBack || isMissing) continue;
    doubles.add(visit);
    settled.set(visit.page.url_key, key);
  }
  return doubles;
}

const itemOf = (datasourceId: string, { id, url, title, language, markdown }: VisitedPage): KnowledgeItem => ({
  id,
  sourceType: 'website',
  source: 'website',
  sourceId: datasourceId,
  title: title ?? url,
  markdown: markdown ?? '',
  url,
  visibility: 'public',
  language,
  channels: [],
  segments: [],
  isDraft: false,
});

const changeOf = ({ row, change }: Outcome, before: Map<string, string>): NewChange => ({
  id: newId(),
  page_id: row.id,
  kind: change === 'new' ? 'new' : 'updated',
  url: row.url,
  title: row.title,
  diff: change === 'new' ? null : diffOf(before.get(row.id) ?? '', row.markdown ?? ''),
});

/** Hands links, originals and targets of redirects to the queue. */
async function queueLinks(trx: Db, visiting: Visiting, visits: Visit[], kept: Outcome[]): Promise<Queued> {
  const { site, ref, room, handed } = visiting;
  const linksOf = new Map(kept.map(({ row, links }) => [row.id, links]));
  const urls: string[] = [];
  const found = visits.flatMap(({ page, url, finding }) => {
    const links = linksOf.get(page.id)?.filter((link) => !handed.has(link));
    if (links === undefined) return [];
    urls.push(...links);
    const next = foundAt(site, links, { depth: page.depth + 1, foundOn: url });
    if (finding.kind === 'moved') {
      const redirects = page.redirects + 1;
      next.push(...foundAt(site, [finding.to.url], { depth: page.depth, foundOn: url, redirects }));
    }
    if (finding.kind === 'content' && finding.duplicateOf !== null) {
      next.push(...foundAt(site, [finding.duplicateOf.url], { depth: page.depth, foundOn: url }));
    }
    return next;
  });
  const fresh = [...new Map(found.map((one) => [one.key, one])).values()];
  return { urls, ...(await insertFound(trx, ref, fresh, room)) };
}
