import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { LateFile } from './messages.table.ts';

/** So long after its message a file is tried. */
const PATIENCE = sql`interval '24 hours'`;
const MIN_WAIT = sql`interval '5 minutes'`;
const MAX_WAIT = sql`interval '4 hours'`;
const AGE = sql`(now() - received_at)`;

/** Finds the files of a message that its provider withheld, and whether this try is the last. */
export const findLateFiles = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('inbound_messages')
    .select(['channel', 'late_files', sql<boolean>`${AGE} >= ${PATIENCE}`.as('is_over')])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('late_files', 'is not', null)
    .$narrowType<{ late_files: LateFile[] }>()
    .executeTakeFirst();

/**
 * Replaces the files that are still to be tried, and returns their message. None are left of a deleted contact. Returns
 * undefined, and changes nothing, if they are others than before: another run has tried them, or they were redacted.
 */
export const replaceLateFiles = (
  trx: Trx,
  orgId: string,
  id: string,
  { before, left }: Record<'before' | 'left', LateFile[]>,
) =>
  trx
    .updateTable('inbound_messages')
    .set({
      late_files: sql`case when contact_id is not null then ${left.length === 0 ? null : JSON.stringify(left)}::jsonb end`,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('late_files', '=', sql<LateFile[]>`${JSON.stringify(before)}::jsonb`)
    .returning(['channel', 'from', 'to', 'contact_id as contactId', 'delivery_id as deliveryId'])
    .executeTakeFirst();

/** Returns the milliseconds until a message's files are tried again: half of its age, within bounds. Null: none are left. */
export async function findNextTryMs(db: Db, orgId: string, id: string): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(extract(epoch from least(greatest(${AGE} / 2, ${MIN_WAIT}), ${MAX_WAIT}, ${PATIENCE} - ${AGE})), 0)::float8 * 1000 as ms
    from inbound_messages where org_id = ${orgId} and id = ${id} and late_files is not null
  `.execute(db);
  return rows[0]?.ms ?? null;
}
