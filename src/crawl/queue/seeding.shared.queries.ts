import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { PageReason } from '../reasons.rules.ts';
import { removedAt } from './shared.queries.ts';

/** Returns the pages in the index, and those that a user wants in it, those nearest to the start first. */
export const listWantedPages = (db: Db, orgId: string, datasourceId: string) =>
  db
    .selectFrom('crawl_pages')
    .select(['id', 'url', 'depth', 'choice', 'is_stored'])
    .where('org_id', '=', orgId)
    .where('datasource_id', '=', datasourceId)
    .where(sql<boolean>`(is_stored or choice = 'included')`)
    .where(sql<boolean>`choice is distinct from 'deleted'`)
    .orderBy('depth')
    .orderBy('id')
    .execute();

/** Queues pages in a crawl. `isForced`: fetches them fully, without a conditional request. */
export async function queuePages(
  trx: Trx,
  orgId: string,
  jobId: string,
  { ids, isForced }: { ids: string[]; isForced: boolean },
): Promise<number> {
  if (ids.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    update crawl_pages set is_queued = true, job_id = ${jobId}, is_forced = is_forced or ${isForced}, tries = 0, due_at = now(), lease = null,
      is_to_render = false, removed_at = ${removedAt('crawl_pages')},
      status = case when is_stored then status else 'pending' end
    where org_id = ${orgId} and id = any(${ids}::uuid[])
  `.execute(trx);
  return Number(numAffectedRows);
}

/** Schedules pages for removal at the end of the crawl. The crawl does not fetch them. */
export async function scheduleRemovals(
  trx: Trx,
  orgId: string,
  jobId: string,
  marks: { id: string; reason: PageReason }[],
): Promise<void> {
  if (marks.length === 0) return;
  await sql`
    update crawl_pages as page set removal = given.reason, reason = given.reason, job_id = ${jobId}
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as given (id uuid, reason text)
    where page.org_id = ${orgId} and page.id = given.id
  `.execute(trx);
}
