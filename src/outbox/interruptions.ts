import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { sendWithCommit } from '../db/connections/pipeline.ts';
import { onlyRow } from '../db/rows.ts';
import { type FinishedBatch, selectIsMore } from './claim.ts';

/** An event that ended so many processes, alone in its batch, is parked until an operator releases it. */
const MAX_INTERRUPTIONS = 6;
const FIRST_DELAY_SECONDS = 2;
const DELAY_FACTOR = 4;

/** What a relay is about to expand. */
export interface NewClaim {
  orgId: string;
  /** The ids of the events. */
  ids: number[];
  /** The process id, in Postgres, of the connection whose transaction has locked them. */
  backend: number;
}

/**
 * Writes down which events a relay is about to expand. Call this outside of the transaction that has locked them: it
 * tells of them if the process ends before the transaction does. It does not wait for the disk: if the database ends
 * too, nobody can tell what the process died of. Returns the id of the claim.
 */
export async function insertClaim(db: Db, claim: NewClaim): Promise<number> {
  return onlyRow(await db.executeQuery(insertionOfClaim(db, claim))).id;
}

const insertionOfClaim = compiledOnce(
  ({ orgId, ids, backend }: NewClaim) => sql<{ id: number }>`
    with setting as materialized (select set_config('synchronous_commit', 'off', true))
    insert into outbox_claims (org_id, event_ids, backend_pid)
    select ${orgId}::uuid, ${ids}::bigint[], ${backend}::integer from setting returning id`,
);

/** Deletes a claim of events that were not expanded. */
export async function deleteClaim(db: Db, id: number): Promise<void> {
  await db.deleteFrom('outbox_claims').where('id', '=', id).execute();
}

/** Deletes a claim with the events that were expanded, as the last statement of the transaction. */
export const deleteExpanded = (trx: Trx, claim: number, ids: number[]): Promise<FinishedBatch> =>
  sendWithCommit(trx, deletion(trx, { claim, ids }));

const deletion = compiledOnce(
  ({ claim, ids }: { claim: number; ids: number[] }) => sql<{ is_more: boolean }>`
    with expanded as (delete from outbox where id = any(${ids}::bigint[])),
      ended as (delete from outbox_claims where id = ${claim})
    ${selectIsMore('events', ids)}`,
);

/**
 * Defers the events of an org that a process was expanding when it ended. Returns their number. One that was alone waits
 * longer each time, and is parked in the end. In a batch any of them may be the reason: they wait shortly, and their next
 * batches are smaller, until each is alone. The caller has the org's events to itself. So a claim whose connection lives is
 * of a batch that has just failed: Postgres releases the locks at the error, before the relay has deleted the claim. One
 * from before a restart of Postgres is deleted and says nothing.
 */
export async function deferInterrupted(trx: Trx, orgId: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with ended as (
      delete from outbox_claims where org_id = ${orgId} and not (
        server_started_at = pg_postmaster_start_time() and backend_pid in (select pid from pg_stat_activity)
      )
      returning event_ids, server_started_at = pg_postmaster_start_time() as is_of_this_server
    ), interrupted as (
      select event_id, bool_or(cardinality(event_ids) = 1) as was_alone
      from ended cross join unnest(event_ids) as event_id
      where is_of_this_server group by event_id
    ), counted as (
      select id, was_alone, case when was_alone then interruptions + 1 else greatest(interruptions, 1) end as count
      from outbox join interrupted on event_id = id for update of outbox skip locked
    )
    update outbox set attempts = attempts + 1, interruptions = count,
      last_error = 'The process ended while it handled this event',
      available_at = case when not was_alone then now() + ${FIRST_DELAY_SECONDS} * interval '1 second'
        when count >= ${MAX_INTERRUPTIONS} then 'infinity'
        else now() + ${FIRST_DELAY_SECONDS} * power(${DELAY_FACTOR}, count - 1) * interval '1 second' end
    from counted where outbox.id = counted.id
  `.execute(trx);
  return Number(numAffectedRows);
}

const MAX_LISTED = 1_000;

/** Lists parked events of all orgs, oldest first. */
export const listParkedEvents = (db: Db) =>
  db
    .selectFrom('outbox')
    .select(['id', 'org_id', 'type', 'subject_id', 'created_at', 'last_error'])
    .where('kind', '=', 'event')
    .where('interruptions', '>', 0)
    .where('available_at', '=', sql<Date>`'infinity'`)
    .orderBy('id')
    .limit(MAX_LISTED)
    .execute();

/** Lets a parked event be handled again, as if no process had ended. Returns undefined if there is no such parked event. */
export const releaseParkedEvent = (db: Db, id: string) =>
  db
    .updateTable('outbox')
    .set({ available_at: sql<Date>`now()`, attempts: 0, interruptions: 0 })
    .where('id', '=', sql<number>`${id}::bigint`)
    .where('kind', '=', 'event')
    .where('available_at', '=', sql<Date>`'infinity'`)
    .returning('type')
    .executeTakeFirst();
