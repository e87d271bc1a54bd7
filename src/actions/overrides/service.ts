import { hasContactOverrides, readContactOverrides } from '../../contacts/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { readSettings } from '../../orgs/service.ts';
import { readActionOverrides } from '../../orgs/settings/action-overrides.service.ts';
import type { OrgSettings } from '../../orgs/settings/schema.ts';
import type { Secrets } from '../../secrets.ts';
import { findMessageOverrides, insertMessageOverrides } from './queries.ts';
import { forHostOf, mergeOverrides, type Overrides, type PartialOverrides } from './rules.ts';

export { deleteMessageOverrides } from './queries.ts';

/** The message and contact of a call. */
export interface OverrideSubject {
  /** The address that is called. */
  endpoint?: string | undefined;
  messageId?: string | undefined;
  contactId?: string | undefined;
  /** Whether the page that sent the message may add headers alone. */
  isPageLimitedToHeaders?: boolean | undefined;
}

/** The overrides of a call. */
export interface CallOverrides {
  /** Set by the org: in its settings, and for the contact. They replace given values. */
  own: Overrides;
  /** Set by the page that sent the message. They only supply values that nobody else has set. */
  visitor: Overrides;
}

/**
 * Returns the overrides of a call, as far as its host may get them. The contact's take precedence over those in the org's settings, field by field. What
 * comes from a page can be forged by its visitor, so it replaces nothing.
 */
export async function getOverrides(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { endpoint, messageId, contactId, isPageLimitedToHeaders = false }: OverrideSubject,
): Promise<CallOverrides> {
  const [org, contact, message] = await Promise.all([
    readActionOverrides(db, secrets, orgId),
    contactId === undefined ? undefined : readContactOverrides(db, secrets, orgId, contactId),
    messageId === undefined ? undefined : findMessageOverrides(db, orgId, messageId),
  ]);
  const ofMessage =
    message === undefined || messageId === undefined
      ? undefined
      : JSON.parse(secrets.decrypt(message, secretPlaceOf(orgId, messageId)));
  const ofPage = isPageLimitedToHeaders ? { headers: ofMessage?.headers } : ofMessage;
  return {
    own: mergeOverrides([forHostOf(endpoint, org), forHostOf(endpoint, contact)]),
    visitor: mergeOverrides([ofPage]),
  };
}

/**
 * Returns which values the overrides of a call may add, without decrypting any. A contact's and a message's can have any
 * name.
 */
export async function getSuppliedNames(
  db: Db,
  orgId: string,
  { endpoint, messageId, contactId, isPageLimitedToHeaders = false }: OverrideSubject,
): Promise<(group: keyof Overrides, name: string) => boolean> {
  const [settings, hasContacts, ofMessage] = await Promise.all([
    readSettings(db, orgId),
    contactId !== undefined && hasContactOverrides(db, orgId, contactId),
    messageId === undefined ? undefined : findMessageOverrides(db, orgId, messageId),
  ]);
  const ofOrg = mergeOverrides([overridesOf(settings, endpoint)]);
  return (group, name) =>
    hasContacts ||
    Object.hasOwn(ofOrg[group], name) ||
    (ofMessage !== undefined && (group === 'headers' || !isPageLimitedToHeaders));
}

const overridesOf = ({ http_action_overrides: overrides }: OrgSettings, endpoint: string | undefined) =>
  overrides === null ? {} : forHostOf(endpoint, { ...overrides, hosts: overrides.hosts ?? [] });

/**
 * Stores the overrides of a page with a message, for the actions called to answer it. They are encrypted, because they
 * may contain the visitor's credentials.
 */
export async function storeMessageOverrides(
  trx: Trx,
  secrets: Secrets,
  orgId: string,
  { messageId, overrides }: { messageId: string; overrides: PartialOverrides },
): Promise<void> {
  if (Object.values(overrides).every((values) => Object.keys(values ?? {}).length === 0)) return;
  const sealed = secrets.encrypt(JSON.stringify(overrides), secretPlaceOf(orgId, messageId));
  await insertMessageOverrides(trx, orgId, messageId, sealed);
}

const secretPlaceOf = (orgId: string, messageId: string) => ({
  orgId,
  table: 'message_overrides',
  column: 'sealed',
  row: messageId,
});
