import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import type { DatasourceRef } from '../contract.ts';

const CHANGES_PER_DELETION = 2_000;
const JOBS_PER_DELETION = 1_000;

/** Locks some pages of a datasource, in the order of their ids, and returns them. */
export async function lockPages(trx: Trx, { orgId, datasourceId }: DatasourceRef, limit: number) {
  const { rows } = await sql<{ id: string; is_stored: boolean }>`
    select id, is_stored from crawl_pages where org_id = ${orgId} and id = any(array(
      select id from crawl_pages where org_id = ${orgId} and datasource_id = ${datasourceId} limit ${limit}
    ))
    order by id for update
  `.execute(trx);
  return rows;
}

export async function deletePages(trx: Trx, orgId: string, ids: string[]): Promise<void> {
  await sql`delete from crawl_pages where org_id = ${orgId} and id = any(${ids}::uuid[])`.execute(trx);
}

/** Deletes some changes of a datasource's crawls. Returns their number. */
export async function deleteChanges(trx: Trx, { orgId, datasourceId }: DatasourceRef): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from crawl_changes where org_id = ${orgId} and id = any(array(
      select change.id from crawl_jobs as job, lateral (
        select id from crawl_changes where org_id = ${orgId} and job_id = job.id limit ${CHANGES_PER_DELETION}
      ) as change
      where job.org_id = ${orgId} and job.datasource_id = ${datasourceId} limit ${CHANGES_PER_DELETION}
    ))
  `.execute(trx);
  return Number(numAffectedRows);
}

/** Deletes some crawls of a datasource. Returns their number. */
export async function deleteJobs(trx: Trx, { orgId, datasourceId }: DatasourceRef): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from crawl_jobs where org_id = ${orgId} and id = any(array(
      select id from crawl_jobs where org_id = ${orgId} and datasource_id = ${datasourceId} limit ${JOBS_PER_DELETION}
    ))
  `.execute(trx);
  return Number(numAffectedRows);
}
