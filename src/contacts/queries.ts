import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { compiledOnce } from '../db/connections/compiled-once.ts';
import { inRange, type RangePageRequest } from '../db/ranges.ts';
import { type AnnouncedRow, announcementOf, announcing } from '../outbox/announcing.ts';
import type { FurtherKeys } from './merging/rules.ts';
import type { StoredContact } from './saving/merge.rules.ts';
import type { ListContacts } from './schema.ts';

const COLUMNS = [
  'id',
  'email',
  'phone_number',
  'phone_number as phone',
  'external_id',
  'name',
  'custom_data',
  'created_at',
  'updated_at',
] as const;

/** SQL: whether nothing that identifies a `new` contact identified a merged one. */
const isUnknownToMerges = (orgId: string) => sql<SqlBool>`(
  not exists (select from contact_merges as merge where merge.org_id = ${orgId}::uuid and merge.email = new.email)
  and not exists (
    select from contact_merges as merge where merge.org_id = ${orgId}::uuid and merge.phone_number = new.phone_number
  )
  and not exists (select from contact_merges as merge where merge.org_id = ${orgId}::uuid and merge.external_id = new.external_id)
)`;

/** SQL: inserts and announces what `given` returns as contacts. */
const insertAndAnnounce = (orgId: string, given: RawBuilder<unknown>) => sql<{ id: string }>`
  with created as (
    insert into contacts (org_id, id, email, phone_number, external_id, name, custom_data, http_action_overrides)
    select ${orgId}::uuid, id, email, phone_number, external_id, name, custom_data, http_action_overrides
    from ${given} as new (id, email, phone_number, external_id, name, custom_data, http_action_overrides)
    where ${isUnknownToMerges(orgId)}
    order by email, phone_number, external_id, id
    on conflict do nothing
    returning id
  ), announced as (${announcementOf(sql<AnnouncedRow>`
    select ${orgId}::uuid as org_id, 'contact-created' as type, id as subject_id, '{}'::jsonb as payload
    from created order by id`)}
  )
  select id from created`;

const insertMany = compiledOnce(({ orgId, contacts }: { orgId: string; contacts: string }) =>
  insertAndAnnounce(
    orgId,
    sql`(select * from jsonb_to_recordset(${contacts}::jsonb)
      as given (id uuid, email text, phone_number text, external_id text, name text, custom_data jsonb, http_action_overrides jsonb))`,
  ),
);

/** A single contact is not read from JSON: its columns are parameters, which takes a fifth less of the database's time. */
const insertOne = compiledOnce((given: Record<keyof StoredContact, string | null> & { orgId: string }) =>
  insertAndAnnounce(
    given.orgId,
    sql`(select ${given.id}::uuid, ${given.email}::text, ${given.phone_number}::text, ${given.external_id}::text,
      ${given.name}::text, ${given.custom_data}::jsonb, ${given.http_action_overrides}::jsonb)`,
  ),
);

function insertionOf(db: Db, orgId: string, contacts: StoredContact[]) {
  const [contact, ...others] = contacts;
  if (contact === undefined || others.length > 0) return insertMany(db, { orgId, contacts: JSON.stringify(contacts) });
  const { custom_data, http_action_overrides: overrides, ...columns } = contact;
  return insertOne(db, {
    ...columns,
    orgId,
    custom_data: JSON.stringify(custom_data),
    http_action_overrides: overrides === null ? null : JSON.stringify(overrides),
  });
}

/**
 * Inserts the contacts with unused e-mail, phone number and external id together with their events `contact-created`, in one round
 * trip. Those of merged contacts are used, too. Returns their ids. Rows are inserted in a fixed order: concurrent batches queue up.
 */
export async function insertContacts(db: Db, orgId: string, contacts: StoredContact[]): Promise<string[]> {
  if (contacts.length === 0) return [];
  const { rows } = await announcing(db, db.executeQuery(insertionOf(db, orgId, contacts)));
  return rows.map(({ id }) => id);
}

/** Inserts contacts like insertContacts, with the times of their creation, and announces nothing. */
export async function insertContactsSilently(
  trx: Trx,
  orgId: string,
  contacts: (StoredContact & { created_at: string | null })[],
): Promise<string[]> {
  if (contacts.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    insert into contacts (org_id, id, email, phone_number, external_id, name, custom_data, created_at, updated_at)
    select ${orgId}::uuid, id, email, phone_number, external_id, name, custom_data, coalesce(created_at, now()), now()
    from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
      as new (id uuid, email text, phone_number text, external_id text, name text, custom_data jsonb, created_at timestamptz)
    where ${isUnknownToMerges(orgId)}
    order by email, phone_number, external_id, id
    on conflict do nothing
    returning id
  `.execute(trx);
  return rows.map(({ id }) => id);
}

/** Writes the contacts as given. Throws if another contact has the e-mail, phone number or external id. */
export async function updateContacts(db: Db, orgId: string, contacts: StoredContact[]): Promise<void> {
  if (contacts.length === 0) return;
  await sql`
    update contacts
    set email = new.email, phone_number = new.phone_number, external_id = new.external_id, name = new.name,
      custom_data = new.custom_data, http_action_overrides = new.http_action_overrides, updated_at = greatest(now(), contacts.updated_at)
    from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb)
      as new (id uuid, email text, phone_number text, external_id text, name text, custom_data jsonb, http_action_overrides jsonb)
    where contacts.org_id = ${orgId} and contacts.id = new.id
  `.execute(db);
}

/** Returns the contact's encrypted values for HTTP actions. */
export async function findHttpActionOverrides(db: Db, orgId: string, id: string) {
  const row = await db
    .selectFrom('contacts')
    .select('http_action_overrides')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.http_action_overrides ?? undefined;
}

export interface ContactAddresses {
  ids: string[];
  emails: string[];
  phones: string[];
}

interface ContactKeys extends ContactAddresses {
  externalIds: string[];
}

/**
 * SQL: the ids in a column of contacts, or of their merges, whose rows have any of the keys. Each kind of key is looked up by
 * its index: with all of them in one condition, Postgres reads the whole table where an import fills it.
 */
const idsWith = (
  orgId: string,
  [table, column]: ['contacts', 'id'] | ['contact_merges', 'contact_id' | 'absorbed_id'],
  { emails, phones, externalIds = [] }: { emails: string[]; phones: string[]; externalIds?: string[] },
) => {
  const keys = { email: emails, phone_number: phones, external_id: externalIds };
  const lookups = Object.entries(keys).map(
    ([key, values]) =>
      sql`select ${sql.ref(column)} from ${sql.table(table)} where org_id = ${orgId} and ${sql.ref(key)} = any(${values}::text[])`,
  );
  return sql.join(lookups, sql` union all `);
};

/** SQL: what identified the contacts that were merged into one of `contacts`. */
const FURTHER = sql<FurtherKeys[]>`coalesce((
  select jsonb_agg(jsonb_build_object('email', merge.email, 'phone_number', merge.phone_number, 'external_id', merge.external_id))
  from contact_merges as merge where merge.org_id = contacts.org_id and merge.contact_id = contacts.id
), '[]')`;

export async function findPhoneNumber(db: Db, orgId: string, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('contacts')
    .select('phone_number')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.phone_number ?? null;
}

/** Selects contacts as they are saved, each with its row as JSON. */
const storedContacts = (db: Db, orgId: string) =>
  db
    .selectFrom('contacts')
    .select(['id', 'email', 'phone_number', 'external_id', 'name', 'custom_data', 'http_action_overrides'])
    .select([sql<object>`to_jsonb(contacts) - 'http_action_overrides'`.as('row'), FURTHER.as('further')])
    .where('org_id', '=', orgId);

/** Returns contacts like lockContacts, by their ids, and locks nothing. */
export const listStoredContacts = (db: Db, orgId: string, ids: string[]) =>
  storedContacts(db, orgId).where(sql<SqlBool>`id = any(${ids}::uuid[])`).execute();

/**
 * Locks and returns the contacts with any of the ids, addresses or external ids, each with its row as JSON. An address or
 * external id of a merged contact finds the one that it is now. One that had to be waited for may have lost the key.
 */
export const lockContacts = (db: Db, orgId: string, keys: ContactKeys) =>
  storedContacts(db, orgId)
    .where(
      sql<SqlBool>`id = any(array(
        select unnest(${keys.ids}::uuid[]) union all ${idsWith(orgId, ['contacts', 'id'], keys)}
        union all ${idsWith(orgId, ['contact_merges', 'contact_id'], keys)}
      ))`,
    )
    .orderBy('id')
    .forUpdate()
    .execute();

/**
 * Returns the ids and addresses of the contacts with any of the ids, e-mails or phone numbers. Contacts that got one by a
 * merge come first, with the id, e-mail or number of the merged one: of two matches, the last one is the contact itself.
 */
export async function listContactIdsByAddress(
  db: Db,
  orgId: string,
  { ids, emails, phones }: ContactAddresses,
): Promise<{ id: string; named: string; email: string | null; phone_number: string | null }[]> {
  const { rows } = await sql<{ id: string; named: string; email: string | null; phone_number: string | null }>`
    select contact_id as id, absorbed_id as named, email, phone_number, true as is_merged from contact_merges
    where org_id = ${orgId} and absorbed_id = any(array(
      select unnest(${ids}::uuid[]) union all ${idsWith(orgId, ['contact_merges', 'absorbed_id'], { emails, phones })}
    ))
    union all
    select id, id, email, phone_number, false from contacts
    where org_id = ${orgId} and id = any(array(
      select unnest(${ids}::uuid[]) union all ${idsWith(orgId, ['contacts', 'id'], { emails, phones })}
    ))
    order by is_merged desc
  `.execute(db);
  return rows;
}

export function findContact(db: Db, orgId: string, id: string) {
  return db.selectFrom('contacts').select(COLUMNS).where('org_id', '=', orgId).where('id', '=', id).executeTakeFirst();
}

export const listContactsById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('contacts')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`id = any(${ids}::uuid[])`)
    .execute();

/**
 * Locks a contact against deletion until the transaction ends. Returns its id, or that of the one that it was merged into.
 * Returns undefined if the org has no such contact.
 */
export async function lockContact(trx: Trx, orgId: string, id: string): Promise<string | undefined> {
  const own = await lockById(trx, orgId, sql`${id}::uuid`);
  if (own !== undefined) return own;
  const merge = sql`(select contact_id from contact_merges where org_id = ${orgId} and absorbed_id = ${id}::uuid)`;
  return lockById(trx, orgId, merge);
}

async function lockById(trx: Trx, orgId: string, id: RawBuilder<unknown>): Promise<string | undefined> {
  const contact = await trx
    .selectFrom('contacts')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`id = ${id}`)
    .forKeyShare()
    .executeTakeFirst();
  return contact?.id;
}

export async function deleteContact(db: Db, orgId: string, id: string): Promise<void> {
  await db.deleteFrom('contacts').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** SQL: whether a value identifies one of `contacts`, or one that was merged into it. */
const isKnownBy = (orgId: string, column: keyof FurtherKeys, value: string) => sql<SqlBool>`contacts.id = any(array(
  select id from contacts where org_id = ${orgId} and ${sql.ref(column)} = ${value}
  union all
  select contact_id from contact_merges where org_id = ${orgId} and ${sql.ref(column)} = ${value}
))`;

/** Returns the rows of a page, and one more if there is one. */
export const listContacts = (
  db: Db,
  orgId: string,
  { email, phone_number, external_id }: Pick<ListContacts, 'email' | 'phone_number' | 'external_id'>,
  page: RangePageRequest,
) =>
  db
    .selectFrom('contacts')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .$call((query) => (email === undefined ? query : query.where(isKnownBy(orgId, 'email', email))))
    .$call((query) =>
      phone_number === undefined ? query : query.where(isKnownBy(orgId, 'phone_number', phone_number)),
    )
    .$call((query) => (external_id === undefined ? query : query.where(isKnownBy(orgId, 'external_id', external_id))))
    .$call(inRange(page, 'contacts'))
    .execute();
