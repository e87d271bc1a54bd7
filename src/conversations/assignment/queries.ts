import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { isLockTaken } from '../../db/failures.ts';
import { lockName } from '../../db/locks.ts';
import { inSavepoint } from '../../db/transaction.ts';

const LOCK_TIMEOUT = '300ms';

/**
 * Lets one at a time give sessions of the org to members, until the transaction ends: a member may be in several teams, and has one
 * capacity. Whoever waits for it may hold sessions, so whoever has it must not begin to lock any.
 */
export async function lockAssignment(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `assignment ${orgId}`);
}

/**
 * The same for one who does not wait for long, as each who waits holds a connection: among many who come at once, the last are told false.
 */
export async function tryLockAssignment(trx: Trx, orgId: string): Promise<boolean> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(trx);
  try {
    await inSavepoint(trx, () => lockAssignment(trx, orgId));
    return true;
  } catch (error) {
    if (isLockTaken(error)) return false;
    throw error;
  } finally {
    await sql`set local lock_timeout to default`.execute(trx);
  }
}

/** How many open sessions each of the members has, over all teams. `except` is not counted. */
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

/** Sessions that wait for a member in the queue of a team which picks one by itself. */
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

/** The teams in whose queues sessions wait. */
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

/** Sessions in the queues of teams, whoever waits longest first. They stay there until the transaction ends. */
export const lockWaitingSessions = (trx: Trx, orgId: string, teamIds: string[], limit: number) =>
  waitingSessions(trx, orgId)
    .select(['session.id', 'session.assignee_id', 'session.team_id', 'session.relayed_side', 'session.has_sla'])
    .$narrowType<{ team_id: string }>()
    .where(isInTeams(teamIds))
    .orderBy('session.queued_at')
    .orderBy('session.id')
    .limit(limit)
    .forNoKeyUpdate('session')
    .execute();

/** Whether a session waits in the queue of one of the teams, or of any. `except` is not looked at. */
export async function hasWaitingSessions(db: Db, orgId: string, teamIds?: string[], except?: string): Promise<boolean> {
  const waiting = await waitingSessions(db, orgId)
    .select('session.id')
    .$if(teamIds !== undefined, (query) => query.where(isInTeams(teamIds as string[])))
    .$if(except !== undefined, (query) => query.where('session.id', '<>', except as string))
    .limit(1)
    .executeTakeFirst();
  return waiting !== undefined;
}

/** Whether another session waits for the member, in any team of theirs. */
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

/** The session's place in its team's queue: none, the one it has if any, or the last. */
export type QueuePosition = 'none' | 'kept' | 'last';

export async function updateQueuePosition(trx: Trx, orgId: string, id: string, place: QueuePosition): Promise<void> {
  await sql`
    update sessions set queued_at = case ${place}::text when 'kept' then coalesce(queued_at, now()) when 'last' then now() end
    where org_id = ${orgId} and id = ${id}
  `.execute(trx);
}
