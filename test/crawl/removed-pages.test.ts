import type { Kysely } from 'kysely';
import type { PageStatus } from '../../src/crawl/pages/table.ts';
import type { PageReason } from '../../src/crawl/reasons.rules.ts';
import { up } from '../../src/db/migrations/0055-removed-pages.ts';
import { newId } from '../../src/ids.ts';
import { startFakeSite } from '../support/fakes/site.ts';
import { startApi } from '../support/stack/api.ts';
import { beginInline } from './inline-crawls.ts';

const EARLIER = new Date('2026-03-01T00:00:00Z');
const LAST = new Date('2026-04-01T00:00:00Z');
const TOUCHED = new Date('2026-05-01T00:00:00Z');

interface Planted {
  status: PageStatus;
  reason: PageReason | null;
  is_stored?: boolean;
  /** When crawls that still have a report removed it. */
  reported?: Date[];
  becomes: [status: PageStatus, removed_at: Date | null];
}

const PAGES: Record<string, Planted> = {
  called_missing: { status: 'error', reason: 'not_found', reported: [EARLIER, LAST], becomes: ['removed', LAST] },
  called_left_out: { status: 'excluded', reason: 'soft_not_found', reported: [LAST], becomes: ['removed', LAST] },
  redirected: { status: 'excluded', reason: 'redirect', reported: [LAST], becomes: ['excluded', LAST] },
  without_report: { status: 'removed', reason: 'unseen', becomes: ['removed', TOUCHED] },
  back: { status: 'synced', reason: null, is_stored: true, reported: [LAST], becomes: ['synced', null] },
  by_user: { status: 'excluded', reason: 'excluded_by_user', reported: [LAST], becomes: ['excluded', null] },
  never_there: { status: 'error', reason: 'not_found', becomes: ['error', null] },
};

it('an upgrade knows since when pages are removed: by the reports of crawls, or else by when they last changed', async () => {
  const [api, site] = await Promise.all([startApi(), startFakeSite()]);
  const { orgId, datasourceId, jobId } = await beginInline(api, site);
  const trx = await api.db.startTransaction().execute();
  try {
    await trx.schema.alterTable('crawl_pages').dropColumn('removed_at').execute();
    const jobs = [jobId, newId()];
    const earlier = { org_id: orgId, id: jobs[1] as string, datasource_id: datasourceId, kind: 'full' as const };
    await trx
      .insertInto('crawl_jobs')
      .values({ ...earlier, status: 'completed' })
      .execute();
    for (const [name, { reported = [], becomes: _, ...page }] of Object.entries(PAGES)) {
      const [id, url] = [newId(), `https://a.example/${name}`];
      const keys = { datasource_id: datasourceId, url, url_key: url, path_key: url, depth: 1 };
      await trx
        .insertInto('crawl_pages')
        .values({ org_id: orgId, id, ...keys, ...page, updated_at: TOUCHED })
        .execute();
      for (const [n, created_at] of reported.entries())
        await trx
          .insertInto('crawl_changes')
          .values({
            org_id: orgId,
            id: newId(),
            job_id: jobs[n] as string,
            page_id: id,
            kind: 'removed',
            url,
            created_at,
          })
          .execute();
    }
    await up(trx as unknown as Kysely<unknown>);
    const rows = await trx
      .selectFrom('crawl_pages')
      .select(['url', 'status', 'removed_at'])
      .where('org_id', '=', orgId)
      .execute();
    const seen = rows.map(({ url, status, removed_at }) => [url.split('/').at(-1), [status, removed_at]]);
    const wanted = Object.entries(PAGES).map(([name, { becomes }]) => [name, becomes]);
    expect(Object.fromEntries(seen)).toMatchObject(Object.fromEntries(wanted));
  } finally {
    await trx.rollback().execute();
    await Promise.all([api.close(), site.close()]);
  }
});
