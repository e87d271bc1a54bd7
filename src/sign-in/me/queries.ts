import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { UpdateMe } from './schema.ts';

/** Returns the org of a caller. */
export const getOrg = (db: Db, orgId: string) =>
  db
    .selectFrom('orgs')
    .select(['id', 'name', 'language', sql<string | null>`settings ->> 'timezone'`.as('timezone')])
    .where('id', '=', orgId)
    .executeTakeFirstOrThrow();

/** Returns a member with its teams and the number of its orgs. */
export function findProfile(db: Db, orgId: string, userId: number) {
  return db
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select((eb) => [
      'member.user_id as id',
      'user.email',
      'member.name',
      'member.is_available as available',
      'member.language',
      'member.settings',
      sql<{ id: string; name: string }[]>`coalesce((
        select jsonb_agg(jsonb_build_object('id', team.id, 'name', team.name) order by team.name, team.id)
        from team_members as belonging
        join teams as team on team.org_id = belonging.org_id and team.id = belonging.team_id
        where belonging.org_id = member.org_id and belonging.user_id = member.user_id
      ), '[]')`.as('teams'),
      eb
        .selectFrom('members as other')
        .whereRef('other.user_id', '=', 'member.user_id')
        .where('other.deleted_at', 'is', null)
        .select(({ fn }) => fn.countAll<number>().as('orgs'))
        .$asScalar()
        .$notNull()
        .as('orgs'),
    ])
    .where('member.org_id', '=', orgId)
    .where('member.user_id', '=', userId)
    .where('member.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Lists the orgs that an account belongs to, by name, with its roles in each. */
export const listOrgsOfUser = (db: Db, userId: number) =>
  db
    .selectFrom('members as member')
    .innerJoin('orgs as org', 'org.id', 'member.org_id')
    .select([
      'org.id',
      'org.name',
      sql<string[]>`array(
        select role.name from member_roles as given join roles as role on role.org_id = given.org_id and role.id = given.role_id
        where given.org_id = member.org_id and given.user_id = member.user_id
      )`.as('roles'),
    ])
    .where('member.user_id', '=', userId)
    .where('member.deleted_at', 'is', null)
    .orderBy('org.name')
    .orderBy('org.id')
    .execute();

/** Changes what a member chose for its pages. */
export async function updatePreferences(
  db: Db,
  orgId: string,
  userId: number,
  { language, settings }: Pick<UpdateMe, 'language' | 'settings'>,
): Promise<void> {
  if (language === undefined && settings === undefined) return;
  await db
    .updateTable('members')
    .set({
      ...(language === undefined ? {} : { language }),
      ...(settings === undefined ? {} : { settings: sql<string>`settings || ${JSON.stringify(settings)}::jsonb` }),
    })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
}
