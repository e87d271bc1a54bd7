import { type RawBuilder, sql } from 'kysely';
import type { Db, Trx } from '../connect.ts';
import { behindInOrder } from '../cursor.ts';
import { deleteSome } from '../deletion.ts';
import type { ItemJobProgress, ItemJobRef } from './contract.ts';

const ERRORS_SHOWN = 100;
const RETENTION_DAYS = 30;
/** Belongs to a job that ended long ago. */
const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Where jobs over many items of one kind are stored. */
export interface ItemJobTables {
  jobs: string;
  items: string;
  /** The column of the items with the id of what is changed. */
  item: string;
}

/** The jobs of one kind. Each item of a job is done once, in the transaction that records it. */
export interface ItemJobs {
  /** Gives a job the items found by SQL of ids, up to one more than the maximum. Returns their number. */
  addItems(trx: Trx, ref: ItemJobRef, found: RawBuilder<{ id: string }>, max: number): Promise<number>;
  /** Lists items that were refused, with the reasons, at most 100. */
  listErrors(db: Db, ref: ItemJobRef): Promise<{ id: string; error: string }[]>;
  /** Locks items that are not done until the transaction ends. Those of other processes are left out. Returns their ids. */
  lockNext(trx: Trx, ref: ItemJobRef, limit: number): Promise<string[]>;
  /** Records items as done, with the counts of the job. `errors` has why some were refused. */
  settle(trx: Trx, ref: ItemJobRef, outcome: { ids: string[]; errors: ReadonlyMap<string, string> }): Promise<void>;
  /** Ends a job of which nothing is left. Returns the member who asked for it, if it was not ended before. */
  end(trx: Trx, ref: ItemJobRef): Promise<{ user_id: number | null } | undefined>;
  /** Returns jobs of all orgs that have not ended. */
  listRunning(db: Db, after: ItemJobRef | undefined, limit: number): Promise<ItemJobRef[]>;
  /** Deletes some items of jobs that ended 30 days ago, or else some of these jobs. Returns the number of rows. */
  deleteOld(db: Db): Promise<number>;
}

/** Returns how far a job is. */
export const progressOf = (job: { state: string; done: number; failed: number } | undefined): ItemJobProgress => ({
  isEnded: job?.state !== 'running',
  done: job?.done ?? 0,
  failed: job?.failed ?? 0,
});

/** The queries of jobs whose tables have the columns of `session_jobs` and `session_job_items`. */
export function itemJobs(tables: ItemJobTables): ItemJobs {
  const jobs = sql.table(tables.jobs);
  const items = sql.table(tables.items);
  const item = sql.ref(tables.item);
  const isOf = ({ orgId, jobId }: ItemJobRef) => sql`org_id = ${orgId} and job_id = ${jobId}`;

  return {
    async addItems(trx, { orgId, jobId }, found, max) {
      const { numAffectedRows = 0n } = await sql`
        insert into ${items} (org_id, job_id, ${item})
        select ${orgId}::uuid, ${jobId}::uuid, found.id from (${found} limit ${max + 1}) as found order by found.id
      `.execute(trx);
      const total = Number(numAffectedRows);
      await sql`update ${jobs} set total = ${total}::integer where org_id = ${orgId} and id = ${jobId}`.execute(trx);
      return total;
    },
    async listErrors(db, ref) {
      const { rows } = await sql<{ id: string; error: string }>`
        select ${item} as id, error from ${items} where ${isOf(ref)} and error is not null
        order by ${item} limit ${ERRORS_SHOWN}
      `.execute(db);
      return rows;
    },
    async lockNext(trx, ref, limit) {
      const { rows } = await sql<{ id: string }>`
        select ${item} as id from ${items} where ${isOf(ref)} and not is_done
        order by ${item} limit ${limit} for update skip locked
      `.execute(trx);
      return rows.map(({ id }) => id);
    },
    async settle(trx, { orgId, jobId }, { ids, errors }) {
      await sql`
        with given as (
          select * from unnest(${ids}::uuid[], ${ids.map((id) => errors.get(id) ?? null)}::text[]) as given (id, error)
        ),
        settled as (
          update ${items} as item set is_done = true, error = given.error from given
          where item.org_id = ${orgId} and item.job_id = ${jobId} and item.${item} = given.id
        )
        update ${jobs} set done = done + ${ids.length}::integer, failed = failed + ${errors.size}::integer
        where org_id = ${orgId} and id = ${jobId}
      `.execute(trx);
    },
    async end(trx, ref) {
      const { rows } = await sql<{ user_id: number | null }>`
        update ${jobs} set state = 'done', ended_at = now()
        where org_id = ${ref.orgId} and id = ${ref.jobId} and state = 'running'
          and not exists (select from ${items} where ${isOf(ref)} and not is_done)
        returning user_id
      `.execute(trx);
      return rows[0];
    },
    async listRunning(db, after, limit) {
      const { rows } = await sql<ItemJobRef>`
        select org_id as "orgId", id as "jobId" from ${jobs}
        where state = 'running' and ${behindInOrder(after?.orgId, after?.jobId, limit)}
      `.execute(db);
      return rows;
    },
    async deleteOld(db) {
      const isOfOld = sql`(org_id, job_id) in (select org_id, id from ${jobs} where ${IS_OLD})`;
      const deleted = await deleteSome(db, tables.items, isOfOld);
      return deleted > 0 ? deleted : deleteSome(db, tables.jobs, IS_OLD);
    },
  };
}
