import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import type { FaultOrg } from '../../faults/support/fault-org.ts';
import { until } from '../../faults/support/until.ts';
import { type FakeSite, pageOf } from '../../support/fakes/site.ts';

/**
 * How many pages behind it a page links to while the site grows. A crawl follows 20 links one after the other, and reads
 * some pages before others found earlier: it gets at least as far as 15 times this, so it reaches all pages.
 */
const AHEAD = 350;
const MAX_PAGES = 5_000;

/**
 * Starts a crawl of a site whose pages link to ever more pages, until `finish` is called or there are as many as a crawl may
 * have. `delayMs`: how long each page takes.
 */
export async function startGrowingCrawl(org: FaultOrg, db: Db, site: FakeSite, delayMs = 0) {
  let isGrowing = true;
  let last = 0;
  const pathOf = (n: number) => (n === 0 ? '/' : `/p/${n}`);
  site.rest = ({ path }) => {
    const n = path === '/' ? 0 : Number(path.replace('/p/', ''));
    if (!Number.isInteger(n) || n > last) return undefined;
    if (isGrowing) last = Math.min(Math.max(last, n + AHEAD), MAX_PAGES - 1);
    const links = Array.from({ length: Math.min(AHEAD, last - n) }, (_, next) => pathOf(n + next + 1));
    return { ...pageOf(`Page ${n}`, { links }), delayMs };
  };
  const { status: answered, body } = await org.post('/crawl', { url: `${site.url}/`, page_limit: MAX_PAGES });
  if (answered !== 201) throw new Error(`The crawl was not started: ${JSON.stringify(body)}`);
  /** Returns the crawl by the database, as the api that was called first is replaced. */
  const read = () =>
    db
      .selectFrom('crawl_jobs')
      .select(['status', 'new_pages', 'completed_pages', 'total_pages'])
      .where('org_id', '=', org.id)
      .executeTakeFirstOrThrow();
  const pages = () => Array.from({ length: last + 1 }, (_, n) => pathOf(n));

  return {
    read,
    /** Lets the crawl end. Resolves to what it has done, and what it should have done. */
    async finish(limitMs: number) {
      isGrowing = false;
      const hasEnded = async () => !['pending', 'scraping'].includes((await read()).status);
      await until('the crawl has ended', hasEnded, limitMs);
      const { rows } = await sql<{ url: string; items: number }>`
        select url, (select count(*) from knowledge_items as item where item.org_id = page.org_id and item.id = page.id) as items
        from crawl_pages as page where org_id = ${org.id}::uuid and status = 'synced'`.execute(db);
      const asked = Map.groupBy(site.paths(), (path) => path);
      return {
        pages: last + 1,
        counts: await read(),
        lost: pages().filter((path) => !rows.some(({ url }) => new URL(url).pathname === path)),
        doubled: pages().filter((path) => asked.get(path)?.length !== 1),
        withoutItem: rows.filter(({ items }) => items !== 1).map(({ url }) => url),
      };
    },
  };
}
