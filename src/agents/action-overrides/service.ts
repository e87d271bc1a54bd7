import { findHttpActionOverrides } from '../../contacts/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { readActionOverrides } from '../../orgs/settings/action-overrides.service.ts';
import type { Secrets } from '../../secrets.ts';
import { findMessageOverrides, insertMessageOverrides } from './queries.ts';
import { mergeOverrides, type Overrides, type PartialOverrides } from './rules.ts';

export { deleteMessageOverrides } from './queries.ts';

/** What a call is about. */
export interface OverrideSubject {
  messageId?: string | undefined;
  contactId?: string | undefined;
}

/** What takes the place of the values that an action is called with, field by field: the message's before the contact's before the org's. */
export async function getOverrides(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { messageId, contactId }: OverrideSubject,
): Promise<Overrides> {
  const [org, contact, message] = await Promise.all([
    readActionOverrides(db, secrets, orgId),
    contactId === undefined ? undefined : findHttpActionOverrides(db, orgId, contactId),
    messageId === undefined ? undefined : findMessageOverrides(db, orgId, messageId),
  ]);
  const ofMessage = message && JSON.parse(secrets.decrypt(message, secretPlaceOf(orgId, messageId as string)));
  return mergeOverrides([org, contact as PartialOverrides | undefined, ofMessage]);
}

/** Keeps what a page says with a message for the actions that answer it. Sealed, as it may hold the visitor's credentials. */
export async function storeMessageOverrides(
  trx: Trx,
  secrets: Secrets,
  orgId: string,
  messageId: string,
  overrides: PartialOverrides,
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
