import type { Config } from '../../config.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { announceKeysChanged } from '../../keys/service.ts';
import type { MemberPrincipal, OrgPrincipal } from '../../keys/verifier.ts';
import { changeMember } from '../../orgs/members/service.ts';
import { KeyScope } from '../../schemas/scopes.ts';
import { strongestOf } from '../roles.ts';
import { findProfile, getOrg, listOrgsOfUser, updatePreferences } from './queries.ts';
import { DEFAULT_SETTINGS, type UpdateMe } from './schema.ts';

type Addresses = Pick<Config, 'PUBLIC_URL' | 'TEMPORAL_UI_URL'>;

/** Returns the caller: the member who is signed in, or the org of a key, with what it may do. */
export async function describeCaller(db: Db, addresses: Addresses, caller: OrgPrincipal) {
  const { id: orgId, scopes, member } = caller;
  const [org, profile] = await Promise.all([
    getOrg(db, orgId),
    member === undefined ? undefined : profileOf(db, orgId, member),
  ]);
  return {
    member: profile?.member ?? null,
    org,
    orgs: profile?.orgs ?? 1,
    scopes: KeyScope.options.filter((scope) => scopes === null || scopes.has(scope)),
    expires_at: member?.expiresAt ?? null,
    links: {
      help_center: `${addresses.PUBLIC_URL}/help/${orgId}`,
      ...(scopes === null && addresses.TEMPORAL_UI_URL !== undefined && { temporal_ui: addresses.TEMPORAL_UI_URL }),
    },
  };
}

/** A member who is signed in. */
type SignedInMember = OrgPrincipal & { member: MemberPrincipal };

/** Changes the own profile of a member who is signed in. */
export async function changeOwnProfile(db: Db, addresses: Addresses, caller: SignedInMember, changes: UpdateMe) {
  const { id: userId } = caller.member;
  const { language, settings, ...profile } = changes;
  await inTransaction(db, async (trx) => {
    await changeMember(trx, caller.id, userId, profile);
    await updatePreferences(trx, caller.id, userId, { language, settings });
    if (profile.name !== undefined) await announceKeysChanged(trx);
  });
  return describeCaller(db, addresses, caller);
}

/** Returns the orgs of the member who is signed in. */
export async function listOwnOrgs(db: Db, caller: SignedInMember) {
  const orgs = await listOrgsOfUser(db, caller.member.id);
  return orgs.map(({ id, name, roles }) => ({ id, name, role: strongestOf(roles), is_current: id === caller.id }));
}

async function profileOf(db: Db, orgId: string, { id, role }: MemberPrincipal) {
  const found = await findProfile(db, orgId, id);
  if (found === undefined) throw notFound('member');
  const { orgs, settings, ...member } = found;
  return { orgs, member: { ...member, role, settings: { ...DEFAULT_SETTINGS, ...settings } } };
}
