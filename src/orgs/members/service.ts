import type { Db, Trx } from '../../db/connect.ts';
import { repeatForSeconds } from '../../db/deletion.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import { announceKeysChanged } from '../../keys/service.ts';
import { announce } from '../../outbox/announcing.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { ROLE_NAMES, type RoleName } from '../../schemas/roles.ts';
import { WAKE } from '../../temporal/contract.ts';
import { lockOrg } from '../queries.ts';
import type { UpdateMember } from '../schema.ts';
import { DELETE_MEMBER, type DeletedMember } from './contract.ts';
import {
  clearSomeSessions,
  deleteMember,
  deleteMemberRoles,
  findMember,
  findRoleIds,
  getRoleId,
  hasManySessions,
  hasOtherAdmin,
  hideMember,
  insertMemberRoles,
  listMembers,
  lockDeletedMember,
  restoreMember,
  updateMember,
  upsertMember,
  upsertUser,
} from './queries.ts';

const DEFAULT_ROLE: RoleName = 'agent';

/** Who becomes a member: without a name under the first part of the address, without a role as agent. */
export interface NewMember {
  email: string;
  name?: string | undefined;
  role?: RoleName | undefined;
}

/** Returns the members of an org, each with its strongest role. */
export async function listMembersWithRole(db: Db, orgId: string) {
  return (await listMembers(db, orgId)).map(withStrongestRole);
}

export { listMemberAddresses, lockMember } from './queries.ts';

/** Changes a member. Throws notFound, and conflict if the org would lose its last admin. */
export function changeMember(db: Db, orgId: string, userId: number, { role, ...changes }: UpdateMember) {
  return inTransaction(db, async (trx) => {
    await lockOrg(trx, orgId);
    await getMember(trx, orgId, userId);
    await updateMember(trx, orgId, userId, changes);
    if (changes.available === true) await announceStaffingChange(trx, orgId);
    if (role !== undefined) {
      if (role !== 'admin') await assertNotLastAdmin(trx, orgId, userId);
      await deleteMemberRoles(trx, orgId, userId);
      await insertMemberRoles(trx, orgId, userId, [await getRoleId(trx, orgId, role)]);
      await announceKeysChanged(trx);
    }
    return getMember(trx, orgId, userId);
  });
}

/**
 * Deletes a membership with its login links and dashboard sessions at once, and from its sessions at once or, if it has
 * many, afterwards. Throws the same errors as changeMember.
 */
export function removeMember(db: Db, orgId: string, userId: number): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockOrg(trx, orgId);
    await getMember(trx, orgId, userId);
    await assertNotLastAdmin(trx, orgId, userId);
    await announceKeysChanged(trx);
    if (await hasManySessions(trx, orgId, userId)) {
      await hideMember(trx, orgId, userId);
      const subject = { subjectId: orgId, summary: `Delete member ${userId}` };
      await enqueue(trx, orgId, signalWithStart(DELETE_MEMBER, { orgId, userId }, WAKE, subject));
    } else {
      await deleteMember(trx, orgId, userId);
    }
    await announceStaffingChange(trx, orgId);
  });
}

/**
 * Clears sessions of a deleted member for some seconds, and deletes the membership when none is left. Repeated, it
 * continues. Returns whether all is done, as for a member added again.
 */
export const deleteMemberBatch = (
  db: Db,
  { orgId, userId }: DeletedMember,
  isStopped: () => boolean,
): Promise<boolean> =>
  repeatForSeconds(isStopped, () =>
    inTransaction(db, async (trx) => {
      if (!(await lockDeletedMember(trx, orgId, userId))) return true;
      if ((await clearSomeSessions(trx, orgId, userId)) > 0) return false;
      await deleteMember(trx, orgId, userId);
      await announceStaffingChange(trx, orgId);
      return true;
    }),
  );

/**
 * Adds a member, creating an account for the address if needed, and returns the account's id. An existing membership
 * keeps its name and roles. Throws invalid for a role unknown to the org.
 */
export function addMember(
  db: Db,
  orgId: string,
  { email, name, role_ids, role }: NewMember & { role_ids?: string[] | undefined },
): Promise<number> {
  return inTransaction(db, async (trx) => {
    const userId = await upsertUser(trx, email);
    const nameOrPrefix = name ?? email.slice(0, email.lastIndexOf('@'));
    const isRestored = await restoreMember(trx, orgId, userId, nameOrPrefix);
    if (isRestored || (await upsertMember(trx, { org_id: orgId, user_id: userId, name: nameOrPrefix })) === 'new') {
      await insertMemberRoles(trx, orgId, userId, await resolveRoleIds(trx, orgId, [...new Set(role_ids)], role));
    }
    return userId;
  });
}

/** Announces a member's arrival or removal, so that waiting or orphaned sessions are assigned. */
const announceStaffingChange = (trx: Trx, orgId: string) =>
  announce(trx, orgId, [{ type: 'staffing-changed', subject_id: orgId, payload: {} }]);

async function resolveRoleIds(
  db: Db,
  orgId: string,
  roleIds: string[],
  role: RoleName = DEFAULT_ROLE,
): Promise<string[]> {
  if (roleIds.length === 0) return [await getRoleId(db, orgId, role)];
  const known = await findRoleIds(db, orgId, roleIds);
  const unknown = roleIds.filter((id) => !known.includes(id));
  if (unknown.length > 0)
    throw invalid(`role_ids: the org has no role ${unknown.join(', ')}; GET /roles lists those it has`);
  return known;
}

/** Returns a member with its strongest role. Throws notFound. */
export async function getMember(db: Db, orgId: string, userId: number) {
  const member = await findMember(db, orgId, userId);
  if (member === undefined) throw notFound('member');
  return withStrongestRole(member);
}

/** Throws conflict for the org's last admin. Changes to other members are allowed, also in an org without admins. */
async function assertNotLastAdmin(db: Db, orgId: string, userId: number): Promise<void> {
  const { role } = await getMember(db, orgId, userId);
  if (role !== 'admin' || (await hasOtherAdmin(db, orgId, userId))) return;
  throw conflict('This is the last admin of the org: make another member admin first');
}

const withStrongestRole = <Row extends { roles: string[] }>({ roles, ...member }: Row) => ({
  ...member,
  role: ROLE_NAMES.find((name) => roles.includes(name)) ?? ('viewer' as const),
});
