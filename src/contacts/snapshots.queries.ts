import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { type CreatedWithin, countCreated, inIdOrder, type KeysetPage } from '../db/keyset.ts';
import { isBlockedContact } from './blocklist/queries.ts';

const shownContacts = (db: Db, orgId: string) =>
  db
    .selectFrom('contacts as contact')
    .select(['contact.id', 'contact.email', 'contact.phone_number', 'contact.phone_number as phone'])
    .select(['contact.external_id', 'contact.name', 'contact.custom_data', 'contact.created_at', 'contact.updated_at'])
    .where('contact.org_id', '=', orgId);

const isOneOf = (ids: string[]) => sql<boolean>`contact.id = any(${ids}::uuid[])`;

/**
 * Returns contacts by their ids in the form of API responses. Postgres plans a search for several anew each time, and
 * that for one, as most events need it, only once.
 */
export async function listShownContacts(db: Db, orgId: string, ids: string[]) {
  const [id = ''] = ids;
  const statement = ids.length === 1 ? oneShownContact(db, { orgId, id }) : someShownContacts(db, { orgId, ids });
  return (await db.executeQuery(statement)).rows;
}

const someShownContacts = compiledOnce(({ orgId, ids }: { orgId: string; ids: string[] }, db) =>
  shownContacts(db, orgId).where(isOneOf(ids)),
);
const oneShownContact = compiledOnce(({ orgId, id }: { orgId: string; id: string }, db) =>
  shownContacts(db, orgId).where('contact.id', '=', id),
);

/**
 * Returns contacts like listShownContacts, and whether they are blocked: by one of their e-mails, or by
 * their unverified one as a visitor.
 */
export const listContactsById = (db: Db, orgId: string, ids: string[]) =>
  shownContacts(db, orgId).where(isOneOf(ids)).select(isBlockedContact(orgId).as('is_blocked')).execute();

/** Lists a part of the contacts in the order of their ids, in the form of API responses. */
export const listContactsInOrder = (db: Db, orgId: string, page: KeysetPage) =>
  shownContacts(db, orgId).$call(inIdOrder(page, 'contact')).execute();

export const countContacts = (trx: Trx, orgId: string, created: CreatedWithin): Promise<number> =>
  countCreated(trx, shownContacts(trx, orgId), { of: 'contact', created });
