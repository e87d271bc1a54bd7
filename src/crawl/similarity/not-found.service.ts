import { randomInt } from 'node:crypto';
import { inTransaction } from '../../db/transaction.ts';
import type { CrawlBatch } from '../context.ts';
import { lockJob } from '../jobs/shared.queries.ts';
import { findQueueStatus } from '../queue/shared.queries.ts';
import { listTexts } from '../visiting/shared.queries.ts';
import { type ComparedPage, isLikeMissing, missingSiblingOf, repeatedPages, tellsNotFound } from './not-found.rules.ts';
import { probePage } from './probes.ts';
import { listSuspects, type Suspect } from './queries.ts';
import { withdrawPages } from './withdrawal.service.ts';

/** Places of a site at which missing pages are asked for, in one crawl. */
const MAX_PLACES = 20;
const MAX_DIGITS = 2 ** 47;
const NO_DIGITS = '0';

/**
 * At the end of a crawl, withdraws the pages that are only the site's answer for missing pages, although it comes with
 * status 200. A page is one if it is like what the site answers for an address beside it that does not exist. Without
 * words that say so, the first of several such pages stays, and each that differs by its numbers.
 */
export async function withdrawSoftNotFound(batch: CrawlBatch): Promise<void> {
  const { db, ref, site } = batch;
  if ((await findQueueStatus(db, ref.orgId, ref.datasourceId)).count > 0) return;
  const suspects = await listSuspects(db, ref, site.startKey);
  const suspectsBySibling = Map.groupBy(suspects, ({ url }) => missingSiblingOf(url, NO_DIGITS).href);
  const largest = [...suspectsBySibling.values()].toSorted((a, b) => b.length - a.length).slice(0, MAX_PLACES);
  for (const pages of largest) await withdrawAtPlace(batch, pages);
}

async function withdrawAtPlace(batch: CrawlBatch, suspects: Suspect[]): Promise<void> {
  const { db, ref } = batch;
  const [suspect] = suspects;
  const missing = suspect && (await askForMissing(batch, suspect.url));
  if (missing === undefined) return;
  await inTransaction(db, async (trx) => {
    if ((await lockJob(trx, ref.orgId, ref.datasourceId, ref.jobId)) === undefined) return;
    const texts = await listTexts(
      trx,
      ref.orgId,
      suspects.map(({ id }) => id),
    );
    const alike = suspects
      .map(({ id, url, title }) => ({ id, url, title: title ?? '', markdown: texts.get(id) ?? '' }))
      .filter((page) => isLikeMissing(page, missing));
    const isTold = missing.every(tellsNotFound);
    const hasQuery = new URL(suspects[0]?.url ?? '').search !== '';
    // A site may show its first page for a number that it does not have.
    const gone = isTold ? alike.filter(tellsNotFound) : hasQuery ? [] : repeatedPages(alike);
    await withdrawPages(
      trx,
      ref,
      gone.map(({ id }) => id),
      'soft_not_found',
    );
  });
}

/** Returns two answers for addresses that do not exist. Undefined if the site says so by their status. */
async function askForMissing(batch: CrawlBatch, url: string): Promise<[ComparedPage, ComparedPage] | undefined> {
  const first = await askForOne(batch, url);
  const second = first && (await askForOne(batch, url));
  return first === undefined || second === undefined ? undefined : [first, second];
}

async function askForOne(batch: CrawlBatch, url: string): Promise<ComparedPage | undefined> {
  const sibling = missingSiblingOf(url, `9${randomInt(MAX_DIGITS)}`);
  const page = await probePage(batch, sibling);
  return page && { url: sibling.href, title: page.title, markdown: page.markdown };
}
