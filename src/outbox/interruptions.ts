import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { sendWithCommit } from '../db/connections/pipeline.ts';
import { onlyRow } from '../db/rows.ts';
import { type FinishedBatch, selectIsMore } from './claim.ts';

/** An event that ended so many processes is parked until an operator retries it. */
const MAX_INTERRUPTIONS = 6;
const FIRST_DELAY_SECONDS = 2;
const DELAY_FACTOR = 4;

/**
 * Writes down which events a relay is about to expand. Call this outside of the transaction that has locked them: it
 * tells of them if the process ends before the transaction does. It does not wait for the disk: if the database ends
 * too, nobody can tell what the process died of. Adds the claim to those of this process.
 */
export async function insertClaim(db: Db, orgId: string, ids: number[], claims: Set<number>): Promise<number> {
  const { id } = onlyRow(await db.executeQuery(insertionOfClaim(db, { orgId, ids })));
  claims.add(id);
  return id;
}

const insertionOfClaim = compiledOnce(
  ({ orgId, ids }: { orgId: string; ids: number[] }) => sql<{ id: number }>`
    with setting as materialized (select set_config('synchronous_commit', 'off', true))
    insert into outbox_claims (org_id, event_ids) select ${orgId}::uuid, ${ids}::bigint[] from setting returning id`,
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
 * Defers those of the locked events that another process was expanding when it ended, each time for longer, and parks
 * them in the end. Returns their number. The caller holds the locks, so no claim of these events is in use. One of this
 * process is of a batch that has failed: Postgres has released its locks at the error, before the claim was deleted.
 */
export async function deferInterrupted(trx: Trx, orgId: string, ids: number[], own: Set<number>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with abandoned as (
      delete from outbox_claims where org_id = ${orgId} and event_ids && ${ids}::bigint[] and id <> all(${[...own]}::bigint[])
      returning event_ids
    ), interrupted as (
      select id from outbox where id in (select unnest(event_ids) from abandoned) for update skip locked
    )
    update outbox set attempts = attempts + 1, interruptions = interruptions + 1,
      last_error = 'The process ended while it handled this event',
      available_at = case when interruptions + 1 >= ${MAX_INTERRUPTIONS} then 'infinity'
        else now() + ${FIRST_DELAY_SECONDS} * power(${DELAY_FACTOR}, interruptions) * interval '1 second' end
    where id in (select id from interrupted)
  `.execute(trx);
  return Number(numAffectedRows);
}
