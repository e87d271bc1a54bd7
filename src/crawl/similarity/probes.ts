import type { ExtractedPage } from '../../extraction/contract.ts';
import type { CrawlBatch } from '../context.ts';
import { fetchPage } from '../fetching/pages.ts';
import { extract } from '../visiting/page-reading.ts';
import { awaitHostSlot } from '../visiting/visit.ts';

/** Fetches an address only to compare it, under the rules of visits. Returns undefined if it is no page to be read. */
export async function probePage(batch: CrawlBatch, url: URL): Promise<ExtractedPage | undefined> {
  const robots = await batch.robots.of(url);
  if ('reason' in robots || !robots.robots.allows(url)) return undefined;
  if (!(await awaitHostSlot(batch, url.host, robots.robots.delayMs))) return undefined;
  const fetched = await fetchPage(batch.deps.egress, url.href, undefined);
  if (fetched.kind !== 'page') return undefined;
  const extracted = await extract(batch, url, fetched);
  return typeof extracted === 'string' ? undefined : extracted;
}
