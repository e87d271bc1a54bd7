import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { isLockTimeout } from '../../db/failures.ts';
import { lockName } from '../../db/locks.ts';
import { onlyRow } from '../../db/rows.ts';
import { inSavepoint } from '../../db/transaction.ts';

const LOCK_TIMEOUT = '300ms';

/**
 * Serializes assignments of the org's sessions until the transaction ends: a member may be in several teams, but has
 * one capacity. A transaction waiting for this lock may already have locked sessions, so its owner must not lock
 * further ones.
 */
export async function lockAssignment(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `assignment ${orgId}`);
}

/**
 * Like lockAssignment, but waits only briefly, because each waiting transaction occupies a connection. Returns false if
 * the lock was not available in time.
 */
export async function tryLockAssignment(trx: Trx, orgId: string): Promise<boolean> {
  const { before } = onlyRow(
    await sql<{ before: string }>`
      select current_setting('lock_timeout') as before, set_config('lock_timeout', ${LOCK_TIMEOUT}, true)
    `.execute(trx),
  );
  try {
    await inSavepoint(trx, () => lockAssignment(trx, orgId));
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  } finally {
    await sql`select set_config('lock_timeout', ${before}, true)`.execute(trx);
  }
}

/** Counts the open sessions of each member over all teams, without `except`. */
export async function countOpenSessions(
  db: Db,
  orgId: string,
  userIds: number[],
  except: string | null,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ assignee_id: number; count: number }>`
    select assignee_id, count(*) as count from sessions
    where org_id = ${orgId} and status = 'open' and assignee_id = any(${userIds}::bigint[]) and id is distinct from ${except}::uuid
    group by assignee_id
  `.execute(db);
  return new Map(rows.map(({ assignee_id, count }) => [assignee_id, count]));
}

/** Selects the sessions waiting for a member in the queue of a team with automatic assignment. */
const waitingSessions = (db: Db, orgId: string) =>
  db
    .selectFrom('sessions as session')
    .innerJoin('teams as team', (join) =>
      join.onRef('team.org_id', '=', 'session.org_id').onRef('team.id', '=', 'session.team_id'),
    )
    .where('session.org_id', '=', orgId)
    .where('session.status', '=', 'open')
    .where('session.assignee_id', 'is', null)
    .where('session.team_id', 'is not', null)
    .where('session.queued_at', 'is not', null)
    .where('team.is_support_enabled', '=', true)
    .where('team.support_assignment_strategy', '<>', 'unassigned');

/** Lists the teams with waiting sessions in their queues. */
export async function listTeamsWithWaitingSessions(db: Db, orgId: string): Promise<string[]> {
  const teams = await db
    .selectFrom('teams as waited_for')
    .select('waited_for.id')
    .where('waited_for.org_id', '=', orgId)
    .where(({ exists }) =>
      exists(waitingSessions(db, orgId).select('session.id').where(sql<SqlBool>`session.team_id = waited_for.id`)),
    )
    .execute();
  return teams.map(({ id }) => id);
}

const isInTeams = (teamIds: string[]) => sql<SqlBool>`session.team_id = any(${teamIds}::uuid[])`;

/** Lists the waiting sessions of teams, longest wait first, and locks them until the transaction ends. */
export const lockWaitingSessions = (trx: Trx, orgId: string, teamIds: string[], limit: number) =>
  waitingSessions(trx, orgId)
    .select(['session.id', 'session.assignee_id', 'session.team_id', 'session.relayed_side', 'session.has_sla'])
    .select(['session.snoozed_at', 'session.snoozed_until'])
    .$narrowType<{ team_id: string }>()
    .where(isInTeams(teamIds))
    .orderBy('session.queued_at')
    .orderBy('session.id')
    .limit(limit)
    .forNoKeyUpdate('session')
    .execute();

/** Returns whether a session other than `except` waits in the queue of one of the teams, or of any team. */
export async function hasWaitingSessions(db: Db, orgId: string, teamIds?: string[], except?: string): Promise<boolean> {
  const waiting = await waitingSessions(db, orgId)
    .select('session.id')
    .$call((query) => (teamIds === undefined ? query : query.where(isInTeams(teamIds))))
    .$call((query) => (except === undefined ? query : query.where('session.id', '<>', except)))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

/** Returns whether another session waits for the member, in any of their teams. */
export async function hasSessionWaitingForMember(
  db: Db,
  orgId: string,
  userId: number,
  except: string,
): Promise<boolean> {
  const waiting = await waitingSessions(db, orgId)
    .innerJoin('team_members as belonging', (join) =>
      join.onRef('belonging.org_id', '=', 'team.org_id').onRef('belonging.team_id', '=', 'team.id'),
    )
    .select('session.id')
    .where('belonging.user_id', '=', userId)
    .where('session.id', '<>', except)
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

/** The new position of a session in its team's queue: `none`, `kept` (last if it had none), or `last`. */
export type QueuePosition = 'none' | 'kept' | 'last';

export async function updateQueuePosition(trx: Trx, orgId: string, id: string, position: QueuePosition): Promise<void> {
  await sql`
    update sessions set queued_at = case ${position}::text when 'kept' then coalesce(queued_at, now()) when 'last' then now() end
    where org_id = ${orgId} and id = ${id}
  `.execute(trx);
}
