import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder } from '../../db/cursor.ts';
import type { HandoffHoldRef } from './contract.ts';

export interface HandoffHold {
  id: string;
  sessionId: string;
  isExternal: boolean;
  n: number;
}

export async function insertHandoffHold(
  trx: Trx,
  orgId: string,
  { id, sessionId, isExternal, n }: HandoffHold,
): Promise<void> {
  await trx
    .insertInto('handoff_holds')
    .values({ org_id: orgId, id, session_id: sessionId, is_elsewhere: isExternal, handoff_number: n })
    .execute();
}

/** Adds those of the runs to a hold that have not ended. Returns their number. */
export async function addRunsToHold(trx: Trx, orgId: string, holdId: string, runIds: string[]): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('automation_runs')
    .set({ handoff_hold_id: holdId })
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${runIds}::uuid[])`)
    .where('status', 'in', ['idle', 'in_progress'])
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Returns the number of runs a hold still waits for. */
export async function countPendingRuns(db: Db, orgId: string, holdId: string): Promise<number> {
  const { count } = await db
    .selectFrom('automation_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('handoff_hold_id', '=', holdId)
    .where('status', 'in', ['idle', 'in_progress'])
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the greatest depth of a hold's runs. The handoff continues at this depth. */
export async function findMaxDepth(db: Db, orgId: string, holdId: string): Promise<number> {
  const { depth } = await db
    .selectFrom('automation_runs')
    .select(({ fn }) => fn.max('depth').as('depth'))
    .where('org_id', '=', orgId)
    .where('handoff_hold_id', '=', holdId)
    .executeTakeFirstOrThrow();
  return depth ?? 0;
}

/** Returns the holds waiting for runs of a workflow. */
export const listHandoffHolds = (db: Db, orgId: string, automationId: string) =>
  db
    .selectFrom('automation_runs as run')
    .innerJoin('handoff_holds as hold', (join) =>
      join.onRef('hold.org_id', '=', 'run.org_id').onRef('hold.id', '=', 'run.handoff_hold_id'),
    )
    .select(['hold.id', 'hold.session_id'])
    .distinct()
    .where('run.org_id', '=', orgId)
    .where('run.automation_id', '=', automationId)
    .where('run.status', 'in', ['idle', 'in_progress'])
    .execute();

/** Deletes a hold. Returns undefined if it was deleted before. */
export const deleteHandoffHold = (trx: Trx, orgId: string, id: string) =>
  trx
    .deleteFrom('handoff_holds')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(['session_id', 'is_elsewhere', 'handoff_number'])
    .executeTakeFirst();

/** Returns the session of a hold. Returns undefined if the hold was deleted. */
export const findHandoffHold = (db: Db, orgId: string, id: string) =>
  db
    .selectFrom('handoff_holds')
    .select(['session_id', 'is_elsewhere'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

/** SQL: whether the current handoff of `session` is held. */
export const IS_HELD = sql<SqlBool>`exists (
  select from handoff_holds as hold where hold.org_id = session.org_id and hold.session_id = session.id
    and hold.handoff_number = session.handoffs
)`;

/** Returns held handoffs of all orgs, behind a hold, in a fixed order. */
export async function listHeldHandoffs(
  db: Db,
  after: HandoffHoldRef | undefined,
  limit: number,
): Promise<HandoffHoldRef[]> {
  const { rows } = await sql<HandoffHoldRef>`
    select org_id as "orgId", session_id as "sessionId", id as "holdId" from handoff_holds
    where ${behindInOrder(after?.orgId, after?.holdId, limit)}
  `.execute(db);
  return rows;
}
