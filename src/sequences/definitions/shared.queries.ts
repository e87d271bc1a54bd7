import { type SqlBool, sql, type UpdateObject } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { behindInOrder, orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import type { Database } from '../../db/database.ts';
import { isUuid } from '../../ids.ts';
import type { SequenceRef } from '../contract.ts';
import type { Gates } from '../gates/schema.ts';
import type { ListSequences } from '../schema.ts';
import type { SequenceStatus, SequencesTable } from '../table.ts';

type SequenceChanges = UpdateObject<Database, 'sequences'>;

const COLUMNS = [
  'org_id',
  'id',
  'name',
  'custom_id',
  'filter',
  'gates',
  'changes_to_apply',
  'has_stale_turns',
  'is_continuous',
  'status',
  'started_at',
  'paused_at',
  'paused_reason',
  'canceled_at',
  'ended_at',
  'created_at',
  'updated_at',
] as const;

export type SequenceRow = Awaited<ReturnType<typeof findSequence>> & object;

const sequenceQuery = (db: Db, orgId: string) =>
  db.selectFrom('sequences').select(COLUMNS).where('org_id', '=', orgId).where('deleted_at', 'is', null);

/** Finds a sequence by its id, or else by its custom_id. */
export function findSequence(db: Db, orgId: string, ref: string, options: { forUpdate?: boolean } = {}) {
  const query = sequenceQuery(db, orgId)
    .where((eb) => (isUuid(ref) ? eb.or([eb('id', '=', ref), eb('custom_id', '=', ref)]) : eb('custom_id', '=', ref)))
    .orderBy(sql<SqlBool>`id::text = ${ref.toLowerCase()}`, 'desc')
    .limit(1);
  return (options.forUpdate === true ? query.forUpdate() : query).executeTakeFirst();
}

export const listSequencesById = (db: Db, orgId: string, ids: string[]) =>
  sequenceQuery(db, orgId).where('id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** Returns a page of sequences by creation: all, or those of a status or with words in their name. */
export const listSequences = (
  db: Db,
  orgId: string,
  { status, q }: Pick<ListSequences, 'status' | 'q'>,
  page: PageRequest,
) =>
  sequenceQuery(db, orgId)
    .$if(status !== undefined, (query) => query.where('status', '=', sql<SequenceStatus>`${status}`))
    .$if(q !== undefined, (query) => query.where(sql<SqlBool>`strpos(lower(name), lower(${q})) > 0`))
    .$call(orderedByCreation(page))
    .execute();

/**
 * Returns the continuous sequences that enroll new contacts. Paused ones are included, so that no contact is missed
 * during a pause.
 */
export const listAutoEnrollingSequences = async (db: Db, orgId: string) =>
  (await db.executeQuery(autoEnrollingSequences(db, { orgId }))).rows;

const autoEnrollingSequences = compiledOnce(({ orgId }: { orgId: string }, db) =>
  db
    .selectFrom('sequences')
    .select(['id', 'name', 'filter', 'created_at'])
    .where('org_id', '=', orgId)
    .where('is_continuous', '=', true)
    .where('deleted_at', 'is', null)
    .where('status', 'in', ['active', 'paused']),
);

export async function insertSequence(
  db: Db,
  sequence: Pick<SequencesTable, 'org_id' | 'id' | 'name' | 'custom_id' | 'is_continuous' | 'status' | 'started_at'> & {
    filter: unknown;
    gates: Gates;
  },
): Promise<void> {
  await db
    .insertInto('sequences')
    .values({
      ...sequence,
      filter: sequence.filter === null ? null : JSON.stringify(sequence.filter),
      gates: JSON.stringify(sequence.gates),
    })
    .execute();
}

export async function updateSequence(db: Db, orgId: string, id: string, changes: SequenceChanges): Promise<void> {
  await db
    .updateTable('sequences')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Changes a sequence only if it is in one of the given states. Resolves to whether it was. */
export async function transitionSequence(
  db: Db,
  orgId: string,
  { id, from }: { id: string; from: SequencesTable['status'][] },
  changes: SequenceChanges,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sequences')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('status', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Returns active sequences of all orgs behind a sequence, in a fixed order. */
export async function listActiveSequences(
  db: Db,
  after: SequenceRef | undefined,
  limit: number,
): Promise<SequenceRef[]> {
  const { rows } = await sql<SequenceRef>`
    select org_id as "orgId", id as "sequenceId" from sequences
    where status = 'active' and deleted_at is null
      and ${behindInOrder(after?.orgId, after?.sequenceId, limit)}
  `.execute(db);
  return rows;
}
