import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';
import { blockedEmail } from './blocklist/queries.ts';

const shownContacts = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('contacts as contact')
    .select(['contact.id', 'contact.email', 'contact.phone_number', 'contact.name', 'contact.custom_data'])
    .select(['contact.created_at', 'contact.updated_at'])
    .where('contact.org_id', '=', orgId)
    .where('contact.id', '=', sql<string>`any(${ids}::uuid[])`);

/** Returns contacts by their ids in the form of API responses. */
export const listShownContacts = (db: Db, orgId: string, ids: string[]) => shownContacts(db, orgId, ids).execute();

/**
 * Returns contacts like listShownContacts, and whether they are blocked: by their e-mail, or by their unverified one as
 * a visitor.
 */
export const listContactsById = (db: Db, orgId: string, ids: string[]) =>
  shownContacts(db, orgId, ids)
    .select(
      sql<boolean>`exists (
        select from (values (contact.email), (contact.custom_data ->> 'unverified_email')) as address (email)
        where ${blockedEmail(orgId, 'address.email')}
      )`.as('is_blocked'),
    )
    .execute();
