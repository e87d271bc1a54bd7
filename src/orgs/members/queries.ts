import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { clearSomeReferences, hasManyReferences } from '../../db/deletion.ts';
import type { RoleName } from '../../schemas/roles.ts';
import type { DeletedMember } from './contract.ts';

/** What refers to a member without belonging to the membership. */
const SESSIONS = { table: 'sessions', column: 'assignee_id' };

export function listRoles(db: Db, orgId: string) {
  return db
    .selectFrom('roles')
    .select(['id', (eb) => eb.ref('name').$castTo<RoleName>().as('name')])
    .where('org_id', '=', orgId)
    .orderBy('name')
    .execute();
}

export async function findRoleIds(db: Db, orgId: string, roleIds: string[]): Promise<string[]> {
  const roles = await db
    .selectFrom('roles')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', roleIds)
    .execute();
  return roles.map(({ id }) => id);
}

export async function getRoleId(db: Db, orgId: string, name: RoleName): Promise<string> {
  const { id } = await db
    .selectFrom('roles')
    .select('id')
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return id;
}

const selectMembers = (db: Db, orgId: string) =>
  db
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select((eb) => [
      'member.user_id as id',
      'user.email',
      'member.name',
      'member.is_available as available',
      'member.created_at',
      eb
        .selectFrom('member_roles as given')
        .innerJoin('roles as role', (join) =>
          join.onRef('role.org_id', '=', 'given.org_id').onRef('role.id', '=', 'given.role_id'),
        )
        .whereRef('given.org_id', '=', 'member.org_id')
        .whereRef('given.user_id', '=', 'member.user_id')
        .select(sql<string[]>`coalesce(array_agg(role.name), '{}')`.as('names'))
        .$asScalar()
        .$notNull()
        .as('roles'),
    ])
    .where('member.org_id', '=', orgId)
    .where('member.deleted_at', 'is', null);

export const listMembers = (db: Db, orgId: string) => selectMembers(db, orgId).orderBy('member.user_id').execute();

export const findMember = (db: Db, orgId: string, userId: number) =>
  selectMembers(db, orgId).where('member.user_id', '=', userId).executeTakeFirst();

/** Returns the members with their e-mail addresses, in lower case. */
export async function listMemberAddresses(
  db: Db,
  orgId: string,
): Promise<{ id: number; email: string; name: string }[]> {
  const { rows } = await sql<{ id: number; email: string; name: string }>`
    select member.user_id as id, lower(account.email) as email, member.name
    from members as member join users as account on account.id = member.user_id
    where member.org_id = ${orgId} and member.deleted_at is null
  `.execute(db);
  return rows;
}

/** Returns whether the user is a member of the org, and prevents removal of the member until the transaction ends. */
export async function lockMember(trx: Trx, orgId: string, userId: number): Promise<boolean> {
  const member = await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  return member !== undefined;
}

export async function hasOtherAdmin(db: Db, orgId: string, userId: number): Promise<boolean> {
  const admin = await db
    .selectFrom('member_roles as given')
    .innerJoin('roles as role', (join) =>
      join.onRef('role.org_id', '=', 'given.org_id').onRef('role.id', '=', 'given.role_id'),
    )
    .select('given.user_id')
    .where('given.org_id', '=', orgId)
    .where('role.name', '=', 'admin')
    .where('given.user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  return admin !== undefined;
}

/** Returns the account of an e-mail address, creating one if needed. */
export async function upsertUser(db: Db, email: string): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({ email })
    .onConflict((oc) => oc.column('email').doUpdateSet({ email }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Creates the membership, or locks the existing one. Returns whether it is new or known. */
export async function upsertMember(
  db: Db,
  member: { org_id: string; user_id: number; name: string },
): Promise<'new' | 'known'> {
  const { is_new } = await db
    .insertInto('members')
    .values(member)
    .onConflict((oc) => oc.columns(['org_id', 'user_id']).doUpdateSet({ user_id: member.user_id }))
    .returning(sql<boolean>`xmax = 0`.as('is_new'))
    .executeTakeFirstOrThrow();
  return is_new ? 'new' : 'known';
}

/** Restores a deleted membership whose sessions are not all cleared. Returns false if there is none. */
export async function restoreMember(db: Db, orgId: string, userId: number, name: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('members')
    .set({ name, deleted_at: null, is_available: true })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Hides a membership and deletes its roles, its drafts and its places in teams, until its sessions are cleared. */
export async function hideMember(trx: Trx, orgId: string, userId: number): Promise<void> {
  await trx
    .updateTable('members')
    .set({ deleted_at: sql<Date>`now()`, is_available: false })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
  for (const table of ['member_roles', 'team_members', 'login_links', 'dashboard_sessions', 'drafts'])
    await sql`delete from ${sql.table(table)} where org_id = ${orgId} and user_id = ${userId}`.execute(trx);
}

/** Locks a deleted membership, so that it is not restored until the transaction ends. Returns false if there is none. */
export async function lockDeletedMember(trx: Trx, orgId: string, userId: number): Promise<boolean> {
  const member = await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('deleted_at', 'is not', null)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return member !== undefined;
}

/** Returns whether the member has more sessions than a request can clear. */
export const hasManySessions = (db: Db, orgId: string, userId: number): Promise<boolean> =>
  hasManyReferences(db, orgId, SESSIONS, userId);

/** Clears some of the member's sessions. Returns their number. */
export const clearSomeSessions = (trx: Trx, orgId: string, userId: number): Promise<number> =>
  clearSomeReferences(trx, orgId, SESSIONS, userId);

export async function updateMember(
  db: Db,
  orgId: string,
  userId: number,
  { name, available }: { name?: string; available?: boolean },
): Promise<void> {
  if (name === undefined && available === undefined) return;
  await db
    .updateTable('members')
    .set({ ...(name === undefined ? {} : { name }), ...(available === undefined ? {} : { is_available: available }) })
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute();
}

export async function insertMemberRoles(db: Db, orgId: string, userId: number, roleIds: string[]): Promise<void> {
  await db
    .insertInto('member_roles')
    .values(roleIds.map((roleId) => ({ org_id: orgId, user_id: userId, role_id: roleId })))
    .execute();
}

export async function deleteMemberRoles(db: Db, orgId: string, userId: number): Promise<void> {
  await db.deleteFrom('member_roles').where('org_id', '=', orgId).where('user_id', '=', userId).execute();
}

/**
 * Deletes the membership with its roles, login links and dashboard sessions. The account stays, because it may belong
 * to other orgs.
 */
export async function deleteMember(db: Db, orgId: string, userId: number): Promise<void> {
  await db.deleteFrom('members').where('org_id', '=', orgId).where('user_id', '=', userId).execute();
}

/** Returns deleted members of all orgs whose deletion has not ended. */
export async function listDeletedMembers(
  db: Db,
  after: DeletedMember | undefined,
  limit: number,
): Promise<DeletedMember[]> {
  const { rows } = await sql<DeletedMember>`
    select org_id as "orgId", user_id as "userId" from members
    where deleted_at is not null
      and ${after === undefined ? sql`true` : sql`(org_id, user_id) > (${after.orgId}::uuid, ${after.userId}::bigint)`}
    order by org_id, user_id limit ${limit}
  `.execute(db);
  return rows;
}
