import { sealChange } from '../contacts/saving/sealed-overrides.rules.ts';
import { saveContact, saveContactByEmail } from '../contacts/saving/service.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import type { Tokens } from '../keys/tokens.ts';
import type { Secrets } from '../secrets.ts';
import type { AuthenticateUser, CreateUnverified } from './schema.ts';
import { findVisitor, upsertVisitor, type Visitor } from './visitors.queries.ts';

export { findChatContext, type Visitor } from './visitors.queries.ts';

const VERIFIED_LIFETIME = '30 days';
const UNVERIFIED_LIFETIME = '365 days';
/**
 * The contact's custom-data key of the e-mail claimed by a visitor. Blocklists check it, but nothing is sent to it and
 * no contact is found by it.
 */
const CLAIMED_EMAIL = 'unverified_email';

/**
 * Returns a token for a contact verified by the org, and saves the given details. Throws conflict if another contact
 * has the phone number.
 */
export function authenticateUser(
  { db, tokens, secrets }: { db: Db; tokens: Tokens; secrets: Secrets },
  orgId: string,
  user: AuthenticateUser,
) {
  return inTransaction(db, async (trx) => {
    const { email, name, phone, customData, http_action_overrides } = user;
    const custom_data = customData === undefined ? undefined : stringValuesOf(customData);
    const change = sealChange(secrets, orgId, { email, name, phone, custom_data, http_action_overrides });
    const contact = await saveContactByEmail(trx, orgId, { ...change, email });
    const { avatar_url, language, chat_context } = user;
    const visitorId = await upsertVisitor(trx, {
      org_id: orgId,
      id: newId(),
      contact_id: contact.id,
      is_verified: true,
      avatar_url,
      language,
      chat_context,
    });
    const token = await tokens.sign('contact', { keyId: visitorId, ownerId: orgId }, VERIFIED_LIFETIME);
    return { token, contact: { id: contact.id } };
  });
}

/**
 * Creates a separate contact for an unidentified visitor and returns a token. The e-mail claimed by the visitor is not
 * stored as the contact's address: its owner is always another contact.
 */
export function createUnverifiedVisitor(db: Db, tokens: Tokens, orgId: string, claims: CreateUnverified) {
  return inTransaction(db, async (trx) => {
    const { email, non_verified_name: name, non_verified_custom_data: data } = claims;
    const custom_data = { ...data, ...(email ? { [CLAIMED_EMAIL]: email } : {}) };
    const contact = await saveContact(trx, orgId, { name: name || undefined, custom_data });
    const visitor = { org_id: orgId, id: newId(), contact_id: contact.id, is_verified: false };
    const visitorId = await upsertVisitor(trx, visitor);
    return { token: await tokens.sign('contact', { keyId: visitorId, ownerId: orgId }, UNVERIFIED_LIFETIME) };
  });
}

/**
 * Returns the visitor of a token. Undefined if the token belongs to another org or has expired, or if its contact was
 * deleted.
 */
export async function findVisitorByToken(
  db: Db,
  tokens: Tokens,
  orgId: string,
  token: string,
): Promise<Visitor | undefined> {
  const claims = await tokens.verify('contact', token);
  return claims?.ownerId === orgId ? findVisitor(db, orgId, claims.keyId) : undefined;
}

const stringValuesOf = (data: Record<string, string | number | boolean>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)]));
