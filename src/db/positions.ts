import { sql } from 'kysely';
import { StartRefused } from '../logging/failing-start.ts';
import type { Db } from './connect.ts';
import { lockName } from './locks.ts';
import { onlyRow } from './rows.ts';
import { inTransaction } from './transaction.ts';

/** SQL: the position of what this transaction writes. Positions are in the order in which transactions began to write. */
export const CURRENT_POSITION = sql`public.position_of_xid(pg_current_xact_id())`;

/** SQL: a position that no transaction has had when the statement began. */
export const NEXT_POSITION = sql`public.position_of_xid(pg_snapshot_xmax(pg_current_snapshot()))`;

interface LastPosition {
  last: string;
  is_ahead: boolean;
}

/** Returns the last position, and whether this server has not come to it: then it is of another server. */
async function findLastPosition(db: Db): Promise<LastPosition> {
  const found = await sql<LastPosition>`
    select coalesce(last, '0')::text as last, coalesce(last >= ${NEXT_POSITION}, false) as is_ahead
    from public.last_position() as last
  `.execute(db);
  return onlyRow(found);
}

/**
 * Has new positions follow those of a restored dump. Only the owner of the schema may. Several processes may call it at
 * once.
 */
export const continuePositions = (db: Db): Promise<void> =>
  inTransaction(db, async (trx) => {
    await lockName(trx, 'positions');
    const { last, is_ahead } = await findLastPosition(trx);
    if (!is_ahead) return;
    await sql`
      create or replace function public.position_offset() returns bigint language sql immutable parallel safe
        return ${sql.raw(String(BigInt(last)))}::bigint
    `.execute(trx);
  });

/** Throws if new positions would be before those of a restored dump. */
export async function assertPositionsContinue(db: Db): Promise<void> {
  const { is_ahead } = await findLastPosition(db);
  if (is_ahead)
    throw new StartRefused('The database was restored from a dump of another server: run "npm run migrate" first');
}
