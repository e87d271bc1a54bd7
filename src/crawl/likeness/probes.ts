import type { ExtractedPage } from '../../extraction/contract.ts';
import type { CrawlBatch } from '../context.ts';
import { fetchPage } from '../fetching/pages.ts';
import { extract } from '../visiting/page-reading.ts';
import { awaitHostSlot } from '../visiting/visit.ts';

/** Fetches an address only to compare it, under the rules of visits. Returns undefined if it is no page to be read. */
export async function probePage(visiting: CrawlBatch, url: URL): Promise<ExtractedPage | undefined> {
  const robots = await visiting.robots.of(url);
  if ('reason' in robots || !robots.robots.allows(url)) return undefined;
  if (!(await awaitHostSlot(visiting, url.host, robots.robots.delayMs))) return undefined;
  const fetched = await fetchPage(visiting.deps.egress, url.href, undefined);
  if (fetched.kind !== 'page') return undefined;
  const extracted = await extract(visiting, url, fetched);
  return typeof extracted === 'string' ? undefined : extracted;
}
