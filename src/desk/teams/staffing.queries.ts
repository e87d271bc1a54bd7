import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/**
 * Returns those of the teams with support enabled, with their office hours and the highest turn of a member. They
 * cannot be deleted until the transaction ends.
 */
export function lockSupportTeams(trx: Trx, orgId: string, teamIds: string[]) {
  return trx
    .selectFrom('teams as team')
    .leftJoin('office_hours as hours', (join) =>
      join.onRef('hours.org_id', '=', 'team.org_id').onRef('hours.id', '=', 'team.support_office_hours_id'),
    )
    .select(['team.id', 'team.support_assignment_strategy as strategy'])
    .select(['hours.iana_timezone', 'hours.shifts', 'hours.holidays'])
    .select((eb) => [
      sql<Date>`now()`.as('at'),
      eb
        .selectFrom('team_members as belonging')
        .whereRef('belonging.org_id', '=', 'team.org_id')
        .whereRef('belonging.team_id', '=', 'team.id')
        .select(({ fn }) => fn.coalesce(fn.max('belonging.turn'), sql<number>`0`).as('turn'))
        .$asScalar()
        .$notNull()
        .as('last_turn'),
    ])
    .where('team.org_id', '=', orgId)
    .where('team.id', '=', sql<string>`any(${teamIds}::uuid[])`)
    .where('team.is_support_enabled', '=', true)
    .orderBy('team.id')
    .forKeyShare('team')
    .execute();
}

/** The handling of members locked by another transaction: wait for them, or skip them. */
export type OnLockedMember = 'wait' | 'skip';

/** Returns the available members of the teams. Until the transaction ends they stay available and in the org. */
export function lockAvailableMembers(trx: Trx, orgId: string, teamIds: string[], onChange: OnLockedMember) {
  return trx
    .selectFrom('team_members as belonging')
    .innerJoin('members as member', (join) =>
      join.onRef('member.org_id', '=', 'belonging.org_id').onRef('member.user_id', '=', 'belonging.user_id'),
    )
    .select(['belonging.team_id', 'belonging.user_id', 'belonging.turn'])
    .where('belonging.org_id', '=', orgId)
    .where('belonging.team_id', '=', sql<string>`any(${teamIds}::uuid[])`)
    .where('member.is_available', '=', true)
    .orderBy('belonging.user_id')
    .forShare('member')
    .$if(onChange === 'skip', (query) => query.skipLocked())
    .execute();
}

export interface MemberTurn {
  team_id: string;
  user_id: number;
  turn: number;
}

/** Records the turns of members. Of several turns of a member in a team, the last one counts. */
export async function updateTurns(trx: Trx, orgId: string, turns: MemberTurn[]): Promise<void> {
  await sql`
    update team_members as belonging set turn = given.turn
    from (
      select team_id, user_id, max(turn) as turn
      from jsonb_to_recordset(${JSON.stringify(turns)}::jsonb) as given (team_id uuid, user_id bigint, turn bigint)
      group by team_id, user_id
    ) as given
    where belonging.org_id = ${orgId} and belonging.team_id = given.team_id and belonging.user_id = given.user_id
  `.execute(trx);
}

/** Returns whether a user is in a team, available or not. */
export async function isInTeam(db: Db, orgId: string, teamId: string, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('team_members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns whether the team assigns its sessions automatically. */
export async function isAutoAssigning(db: Db, orgId: string, teamId: string): Promise<boolean> {
  const row = await db
    .selectFrom('teams')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', teamId)
    .where('is_support_enabled', '=', true)
    .where('support_assignment_strategy', '<>', 'unassigned')
    .executeTakeFirst();
  return row !== undefined;
}
