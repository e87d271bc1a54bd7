import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Returns the members responsible for a session: its assignee, or else the members of its team. With `orAvailable`,
 * returns the available members if nobody has it.
 */
export async function listResponsible(
  db: Db,
  orgId: string,
  sessionId: string,
  { orAvailable = false } = {},
): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    with session as (select assignee_id, team_id from sessions where org_id = ${orgId} and id = ${sessionId}),
    having_it as (
      select assignee_id as user_id from session where assignee_id is not null
      union all
      select belonging.user_id from session join team_members as belonging on belonging.org_id = ${orgId} and belonging.team_id = session.team_id
      where assignee_id is null
    )
    select user_id from having_it
    union all
    select member.user_id from members as member
    where ${orAvailable}::boolean and member.org_id = ${orgId} and member.is_available and member.deleted_at is null
      and not exists (select from having_it)
  `.execute(db);
  return rows.map(({ user_id }) => user_id);
}
