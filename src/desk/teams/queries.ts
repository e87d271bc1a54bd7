import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder, orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { clearSomeReferences, hasManyReferences } from '../../db/deletion.ts';
import type { DeletedTeam } from './contract.ts';
import type { SaveTeam } from './schema.ts';

/** What refers to a team without belonging to it. */
const SESSIONS = { table: 'sessions', column: 'team_id' };

export async function insertTeam(db: Db, orgId: string, id: string, team: SaveTeam): Promise<void> {
  await db
    .insertInto('teams')
    .values({ org_id: orgId, id, ...team })
    .execute();
}

const selectTeams = (db: Db, orgId: string) =>
  db
    .selectFrom('teams as team')
    .select(['team.id', 'team.name', 'team.description', 'team.is_support_enabled'])
    .select(['team.support_office_hours_id', 'team.support_assignment_strategy', 'team.created_at', 'team.updated_at'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('team_members as belonging')
          .innerJoin('members as member', (join) =>
            join.onRef('member.org_id', '=', 'belonging.org_id').onRef('member.user_id', '=', 'belonging.user_id'),
          )
          .innerJoin('users as user', 'user.id', 'member.user_id')
          .select(['user.id', 'user.email', 'member.name', 'member.is_available as available'])
          .whereRef('belonging.org_id', '=', 'team.org_id')
          .whereRef('belonging.team_id', '=', 'team.id')
          .orderBy('user.id'),
      ).as('members'),
    )
    .where('team.org_id', '=', orgId)
    .where('team.deleted_at', 'is', null);

export const findTeam = (db: Db, orgId: string, id: string) =>
  selectTeams(db, orgId).where('team.id', '=', id).executeTakeFirst();

/** Returns a page of teams in order of creation. */
export const listTeams = (db: Db, orgId: string, page: PageRequest) =>
  selectTeams(db, orgId).$call(orderedByCreation(page, 'team')).execute();

/** Returns all teams by their names. */
export const listTeamNames = (db: Db, orgId: string) =>
  db
    .selectFrom('teams')
    .select(['id', 'name'])
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .execute();

export async function updateTeam(db: Db, orgId: string, id: string, team: SaveTeam): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('teams')
    .set({ ...team, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteTeam(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('teams').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Hides a team, takes it out of assignment and deletes its members, until its sessions are cleared. */
export async function hideTeam(trx: Trx, orgId: string, id: string): Promise<void> {
  await trx
    .updateTable('teams')
    .set({ deleted_at: sql<Date>`now()`, is_support_enabled: false, support_office_hours_id: null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
  await trx.deleteFrom('team_members').where('org_id', '=', orgId).where('team_id', '=', id).execute();
}

/** Locks a team, deleted or not, until the transaction ends. Returns undefined if there is none. */
export const lockTeam = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('teams')
    .select(['name', 'deleted_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Returns whether the team has more sessions than a request can clear. */
export const hasManySessions = (db: Db, orgId: string, id: string): Promise<boolean> =>
  hasManyReferences(db, orgId, SESSIONS, id);

/** Clears some of the team's sessions. Returns their number. */
export const clearSomeSessions = (trx: Trx, orgId: string, id: string): Promise<number> =>
  clearSomeReferences(trx, orgId, SESSIONS, id);

/** Returns whether the team exists, and locks it against deletion until the transaction ends. */
export async function lockTeamShared(trx: Trx, orgId: string, id: string): Promise<boolean> {
  const team = await trx
    .selectFrom('teams')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  return team !== undefined;
}

/** Adds a member of the org to the team, unless already in it. Returns false if the org has no such member. */
export async function insertTeamMember(db: Db, orgId: string, teamId: string, userId: number): Promise<boolean> {
  const { rows } = await sql`
    insert into team_members (org_id, team_id, user_id)
    select org_id, ${teamId}, user_id from members where org_id = ${orgId} and user_id = ${userId} and deleted_at is null for key share
    on conflict (org_id, team_id, user_id) do update set user_id = excluded.user_id
    returning user_id
  `.execute(db);
  return rows.length > 0;
}

export async function deleteTeamMember(db: Db, orgId: string, teamId: string, userId: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('team_members')
    .where('org_id', '=', orgId)
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Returns deleted teams of all orgs whose deletion has not ended. */
export async function listDeletedTeams(db: Db, after: DeletedTeam | undefined, limit: number): Promise<DeletedTeam[]> {
  const { rows } = await sql<DeletedTeam>`
    select org_id as "orgId", id as "teamId" from teams
    where deleted_at is not null
      and ${behindInOrder(after?.orgId, after?.teamId, limit)}
  `.execute(db);
  return rows;
}
