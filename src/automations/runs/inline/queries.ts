import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../db/connect.ts';
import type { BatchRef } from '../batches/contract.ts';
import { CLAIMED_COLUMNS, countedQueue, type QueueState, type Run } from '../shared.queries.ts';

/** How many runs a process may claim. */
export interface InlineLimits {
  /** Active runs of the org. */
  active: number;
  /** Active runs of the org in batches. */
  batched: number;
  /** Runs for which this process has room. */
  room: number;
  /** With more active and queued runs than this, none is claimed. */
  backlog: number;
}

export interface InlineClaim {
  runs: Run[];
  /** How many were active and queued before. */
  state: QueueState;
  /** Phone numbers without a country code are of it. */
  country: string | null;
}

/**
 * Claims the oldest queued runs of an org as an inline batch. `leaseOf` is the SQL that stores the lease of the batch,
 * given a source with the `subject_id` and the `payload` of a claim with runs.
 */
export async function claimInline(
  db: Db,
  { orgId, batchId }: BatchRef,
  { active, batched, room, backlog }: InlineLimits,
  leaseOf: (source: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<InlineClaim> {
  const { rows } = await sql<QueueState & { country: string | null } & { [Column in keyof Run]: Run[Column] | null }>`
    with ${countedQueue(orgId, backlog)}, next as (
      select org_id, id from automation_runs where org_id = ${orgId} and status = 'idle'
      order by created_at, id
      limit (
        select case when own + batched + queued > ${backlog} then 0
          else greatest(0, least(${active}::integer - own - batched, ${batched}::integer - batched, ${room}::integer)) end
        from busy, waiting
      )
      for update skip locked
    ), claimed as (
      update automation_runs as run set status = 'in_progress', run_started_at = now(), batch_id = ${batchId}, is_inline = true
      from next where run.org_id = next.org_id and run.id = next.id
      returning ${CLAIMED_COLUMNS}
    ), leased as (${leaseOf(sql`
      select min(id::text)::uuid as subject_id, jsonb_build_object('runs', count(*), 'content', jsonb_build_object(
        'first', min(id::text), 'last', max(id::text), 'workflows', '[]'::jsonb, 'others', 0)) as payload
      from claimed having count(*) > 0`)}
    )
    select busy.own, busy.batched, waiting.queued, (select settings ->> 'country' from orgs where id = ${orgId}) as country, claimed.*
    from busy cross join waiting left join claimed on true order by claimed.id
  `.execute(db);
  const { own = 0, batched: before = 0, queued = 0, country = null } = rows[0] ?? {};
  const runs = rows.filter((row): row is (typeof rows)[number] & Run => row.id !== null);
  return { runs, state: { own, batched: before, queued }, country };
}

/** Records that the runs which an inline batch still has to do are those of its workflow. */
export async function setWithWorkflow(db: Db, { orgId, batchId }: BatchRef): Promise<void> {
  await db
    .updateTable('automation_runs')
    .set({ is_inline: false })
    .where('org_id', '=', orgId)
    .where('batch_id', '=', batchId)
    .where('status', '=', 'in_progress')
    .where('left_batch', '=', false)
    .where('is_inline', '=', true)
    .execute();
}

const ORGS_PER_SWEEP = 100;

/** Returns orgs with queued runs behind an org, in order. Each takes one index look-up. */
export async function listOrgsWithQueuedRuns(db: Db, after: string): Promise<string[]> {
  const { rows } = await sql<{ org_id: string }>`
    with recursive org as (
      (select org_id from automation_runs where status = 'idle' and org_id > ${after}::uuid order by org_id limit 1)
      union all
      select (
        select org_id from automation_runs where status = 'idle' and org_id > org.org_id order by org_id limit 1
      ) from org where org.org_id is not null
    )
    select org_id from org where org_id is not null limit ${ORGS_PER_SWEEP}
  `.execute(db);
  return rows.map(({ org_id }) => org_id);
}
