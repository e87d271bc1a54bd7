import { findHttpActionOverrides } from '../contacts/service.ts';
import type { Db, Trx } from '../db/connect.ts';
import { readActionOverrides } from '../orgs/action-overrides.service.ts';
import type { Secrets } from '../secrets.ts';
import { findMessageOverrides, insertMessageOverrides } from './overrides.queries.ts';
import { type GivenOverrides, merged, type Overrides } from './overrides.rules.ts';

export { deleteMessageOverrides as forgetMessageOverrides } from './overrides.queries.ts';

/** What a call is about. */
export interface Subject {
  messageId?: string | undefined;
  contactId?: string | undefined;
}

/** What takes the place of the values that an action is called with, field by field: the message's before the contact's before the org's. */
export async function overridesOf(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { messageId, contactId }: Subject,
): Promise<Overrides> {
  const [org, contact, message] = await Promise.all([
    readActionOverrides(db, secrets, orgId),
    contactId === undefined ? undefined : findHttpActionOverrides(db, orgId, contactId),
    messageId === undefined ? undefined : findMessageOverrides(db, orgId, messageId),
  ]);
  const ofMessage = message && JSON.parse(secrets.decrypt(message, placeOf(orgId, messageId as string)));
  return merged([org, contact as GivenOverrides | undefined, ofMessage]);
}

/** Keeps what a page says with a message for the actions that answer it. Sealed, as it may hold the visitor's credentials. */
export async function keepMessageOverrides(
  trx: Trx,
  secrets: Secrets,
  orgId: string,
  messageId: string,
  overrides: GivenOverrides,
): Promise<void> {
  if (Object.values(overrides).every((values) => Object.keys(values ?? {}).length === 0)) return;
  const sealed = secrets.encrypt(JSON.stringify(overrides), placeOf(orgId, messageId));
  await insertMessageOverrides(trx, orgId, messageId, sealed);
}

const placeOf = (orgId: string, messageId: string) => ({
  orgId,
  table: 'message_overrides',
  column: 'sealed',
  row: messageId,
});
