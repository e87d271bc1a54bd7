import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { deleteSome } from '../db/deletion.ts';

const DAYS_OF_REPORTS = 90;
const JOBS_PER_DELETION = 20;

/** Deletes the times of hosts that nobody crawls any more, some at a time. Returns their number. */
export const deleteIdleHosts = (db: Db): Promise<number> =>
  deleteSome(db, 'crawl_hosts', sql`next_at < now() - interval '1 day'`);

/** Deletes copies of robots.txt that are too old to be used, some at a time. Returns their number. */
export const deleteOldRobots = (db: Db): Promise<number> =>
  deleteSome(db, 'crawl_robots', sql`fetched_at < now() - interval '7 days'`);

/** Deletes the reports of old crawls, except the last of each datasource, some at a time. Returns their number. */
export async function deleteOldCrawls(db: Db): Promise<number> {
  const { rows } = await sql`
    with old as (
      select org_id, id from crawl_jobs as job
      where completed_at < now() - ${DAYS_OF_REPORTS} * interval '1 day'
        and exists (
          select from crawl_jobs as later
          where later.org_id = job.org_id and later.datasource_id = job.datasource_id and later.created_at > job.created_at
        )
      order by completed_at limit ${JOBS_PER_DELETION}
    ), changes as (
      delete from crawl_changes where ctid = any(array(
        select change.ctid from crawl_changes as change join old on change.org_id = old.org_id and change.job_id = old.id limit 5000
      )) returning 1
    ), jobs as (
      delete from crawl_jobs where (org_id, id) in (
        select org_id, id from old
        where not exists (select from crawl_changes as change where change.org_id = old.org_id and change.job_id = old.id)
      ) returning 1
    )
    select 1 from changes union all select 1 from jobs
  `.execute(db);
  return rows.length;
}
