import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { forbidden, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import {
  findOrgKey,
  insertOrgKey,
  insertPartnerKey,
  notifyKeysChanged,
  revokeAnyKey,
  revokeOrgKey,
} from './queries.ts';
import type { CreateKey } from './schema.ts';
import type { Tokens } from './tokens.ts';
import type { OrgPrincipal } from './verifier.ts';

export interface IssuedKey {
  api_key_id: string;
  /** The JWT. It is not stored, so it can be shown only now. */
  api_key: string;
}

/** Creates an org key within the creator's own scopes. Throws forbidden for scopes beyond them. */
export function createKeyAs(
  db: Db,
  tokens: Tokens,
  creator: OrgPrincipal,
  { name, scopes }: CreateKey,
): Promise<IssuedKey> {
  const beyond = beyondScopes(creator.scopes, scopes ?? null);
  if (beyond.length > 0) throw forbidden(`A key cannot grant scopes that it does not have: ${beyond.join(', ')}`);
  return issueOrgKey(db, tokens, creator.id, { name, scopes: scopes ?? null });
}

/** Returns those of a key's scopes that the holder of another key lacks. */
const beyondScopes = (held: OrgPrincipal['scopes'], scopes: readonly string[] | null): string[] =>
  held === null ? [] : (scopes ?? ['full access']).filter((scope) => !held.has(scope));

/** Creates an org key. Null `scopes` give full access. */
export async function issueOrgKey(
  db: Db,
  tokens: Tokens,
  orgId: string,
  { name, scopes = null }: { name: string; scopes?: string[] | null },
): Promise<IssuedKey> {
  const id = newId();
  await insertOrgKey(db, { org_id: orgId, id, name, scopes });
  return { api_key_id: id, api_key: await tokens.sign('org', { keyId: id, ownerId: orgId }) };
}

/** Creates a partner key. */
export async function issuePartnerKey(db: Db, tokens: Tokens, partnerId: string, name: string): Promise<IssuedKey> {
  const id = newId();
  await insertPartnerKey(db, { partner_id: partnerId, id, name });
  return { api_key_id: id, api_key: await tokens.sign('partner', { keyId: id, ownerId: partnerId }) };
}

/**
 * Revokes a key of the caller's org. Every process refuses it within a second. Throws notFound, and forbidden for a key
 * that has more scopes than the caller's.
 */
export function revokeKeyAs(db: Db, { id: orgId, scopes }: OrgPrincipal, keyId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const key = await findOrgKey(trx, orgId, keyId);
    if (key === undefined) throw notFound('API key');
    const beyond = beyondScopes(scopes, key.scopes);
    if (beyond.length > 0)
      throw forbidden(`A key cannot revoke a key with more scopes than its own: ${beyond.join(', ')}`);
    if (!(await revokeOrgKey(trx, orgId, keyId))) throw notFound('API key');
    await notifyKeysChanged(trx);
  });
}

/** Revokes any key by its id, for operators. Throws notFound. */
export function revokeKeyAsOperator(db: Db, keyId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!(await revokeAnyKey(trx, keyId))) throw notFound('key');
    await notifyKeysChanged(trx);
  });
}

/** Lets every process read the org of its keys again, once the transaction commits. */
export const announceChangedOrg = (trx: Trx): Promise<void> => notifyKeysChanged(trx);

/** Has every process read the state of keys and sessions again, once the transaction has committed. */
export const announceKeysChanged = notifyKeysChanged;
