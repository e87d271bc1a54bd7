import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

/**
 * Returns the SQL condition for a blocked e-mail in a column: the org has blocked the address, its domain, or a parent
 * domain. Null is not blocked. For use inside another statement.
 */
export function blockedEmail(org: string, column: string): RawBuilder<SqlBool> {
  const orgId = sql`${org}::uuid`;
  const email = sql.ref(column);
  return sql<SqlBool>`(
    exists (select from blocked_contacts as blocked where blocked.org_id = ${orgId} and blocked.email = lower(${email}))
    or exists (
      select from ${domainsOf(email)} as own (domain)
      join blocked_domains as blocked on blocked.org_id = ${orgId} and blocked.domain = own.domain
    )
  )`;
}

/** SQL: the domain of an e-mail and its parent domains, as rows. */
const domainsOf = (email: RawBuilder<unknown>) => sql<string>`(
  select array_to_string(domain.labels[start:], '.')
  from (select string_to_array(lower(split_part(${email}, '@', 2)), '.') as labels) as domain
  cross join generate_subscripts(domain.labels, 1) as start
)`;

/**
 * SQL: the rows `address (email)` of a `contact`: its e-mail, the unverified one that it gave as a visitor of the widget, and
 * those of contacts that were merged into it.
 */
const addressesOfContact = sql`(
  values (contact.email), (contact.custom_data ->> 'unverified_email')
  union all
  select merge.email from contact_merges as merge where merge.org_id = contact.org_id and merge.contact_id = contact.id
) as address (email)`;

/** SQL: whether one of the contact's e-mails is blocked; false without a contact. */
export const blockedContact = (orgId: string, contactId: string | null): RawBuilder<boolean> =>
  blockedContactOf(orgId, sql`${contactId}`);

/** SQL: whether the contact whose id is in a column is blocked, as `blockedContact` says. */
export const blockedContactIn = (orgId: string, column: string): RawBuilder<boolean> =>
  blockedContactOf(orgId, sql.ref(column));

/** SQL: whether the row `contact` of a statement is blocked, as `blockedContact` says; false without a contact. */
export const isBlockedContact = (orgId: string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from ${addressesOfContact} where ${blockedEmail(orgId, 'address.email')})`;

const blockedContactOf = (orgId: string, contactId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from contacts as contact
  where contact.org_id = ${orgId} and contact.id = ${contactId}::uuid and ${isBlockedContact(orgId)}
)`;

/** Returns whether one of the contact's e-mails is blocked, as `blockedContact` says. */
export async function hasBlockedEmail(db: Db, orgId: string, contactId: string): Promise<boolean> {
  const { rows } = await sql<{ is_blocked: boolean }>`
    select ${blockedContact(orgId, contactId)} as is_blocked
  `.execute(db);
  return rows[0]?.is_blocked === true;
}

/** Returns those of the contacts that are blocked, as `blockedContact` says. */
export async function listBlockedAmong(db: Db, orgId: string, contactIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select contact.id from contacts as contact
    where contact.org_id = ${orgId} and contact.id = any(${contactIds}::uuid[]) and ${isBlockedContact(orgId)}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns those of the e-mails that are blocked, by themselves or by their domain. */
export async function listBlockedEmails(db: Db, orgId: string, emails: string[]): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select address.email from unnest(${emails}::text[]) as address (email) where ${blockedEmail(orgId, 'address.email')}
  `.execute(db);
  return rows.map(({ email }) => email);
}

export interface NewBlock {
  id: string;
  reason: string | null;
}

/** Blocks the e-mail. An existing block stays, with the new reason if one is given. */
export async function insertBlockedContact(db: Db, orgId: string, block: NewBlock & { email: string }): Promise<void> {
  await sql`
    insert into blocked_contacts as blocked (org_id, id, email, reason)
    values (${orgId}, ${block.id}, ${block.email}, ${block.reason})
    on conflict (org_id, email) do update set reason = coalesce(excluded.reason, blocked.reason)
  `.execute(db);
}

interface Range {
  offset: number;
  limit: number;
  /** What blocks this e-mail alone. */
  email: string | undefined;
}

const contactBlocks = (db: Db, orgId: string, email: string | undefined) =>
  db
    .selectFrom('blocked_contacts as blocked')
    .where('blocked.org_id', '=', orgId)
    .$if(email !== undefined, (query) => query.where('blocked.email', '=', sql<string>`lower(${email})`));

export const listBlockedContacts = (db: Db, orgId: string, { offset, limit, email }: Range) =>
  contactBlocks(db, orgId, email)
    .leftJoin('contacts as contact', (join) =>
      join.onRef('contact.org_id', '=', 'blocked.org_id').onRef('contact.email', '=', 'blocked.email'),
    )
    .select(['blocked.id', 'contact.id as contact_id', 'blocked.email', 'contact.name', 'contact.phone_number'])
    .select(['blocked.reason', 'blocked.created_at'])
    .orderBy('blocked.created_at', 'desc')
    .orderBy('blocked.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();

export const countBlockedContacts = (db: Db, orgId: string, email: string | undefined): Promise<number> =>
  countOf(contactBlocks(db, orgId, email).select(({ fn }) => fn.countAll<number>().as('count')));

export async function deleteBlockedContact(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_contacts')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Blocks the domains not blocked yet, and returns these. */
export async function insertBlockedDomains(db: Db, orgId: string, blocks: (NewBlock & { domain: string })[]) {
  return db
    .insertInto('blocked_domains')
    .columns(['org_id', 'id', 'domain', 'reason'])
    .expression((eb) =>
      eb
        .selectFrom(
          sql<{ id: string; domain: string; reason: string | null }>`
            jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb)`.as<'new'>(
            sql`new (id uuid, domain text, reason text)`,
          ),
        )
        .select([sql<string>`${orgId}::uuid`.as('org_id'), 'new.id', 'new.domain', 'new.reason'])
        .orderBy('new.domain'),
    )
    .onConflict((oc) => oc.columns(['org_id', 'domain']).doNothing())
    .returning(['id', 'domain', 'reason', 'created_at'])
    .execute();
}

const domainBlocks = (db: Db, orgId: string, email: string | undefined) =>
  db
    .selectFrom('blocked_domains as blocked')
    .where('blocked.org_id', '=', orgId)
    .$if(email !== undefined, (query) => query.where('blocked.domain', 'in', domainsOf(sql`${email}::text`)));

export const listBlockedDomains = (db: Db, orgId: string, { offset, limit, email }: Range) =>
  domainBlocks(db, orgId, email)
    .select(['blocked.id', 'blocked.domain', 'blocked.reason', 'blocked.created_at'])
    .orderBy('blocked.created_at', 'desc')
    .orderBy('blocked.id', 'desc')
    .offset(offset)
    .limit(limit)
    .execute();

export const countBlockedDomains = (db: Db, orgId: string, email: string | undefined): Promise<number> =>
  countOf(domainBlocks(db, orgId, email).select(({ fn }) => fn.countAll<number>().as('count')));

export async function deleteBlockedDomain(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('blocked_domains')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const countOf = async (counted: { executeTakeFirstOrThrow(): Promise<{ count: number }> }): Promise<number> =>
  (await counted.executeTakeFirstOrThrow()).count;
