import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { DomainStatus } from './schema.ts';
import type { SendingDomainsTable } from './table.ts';

const COLUMNS = [
  'id',
  'domain',
  'selector',
  'public_key',
  'status',
  'dmarc_status',
  'found',
  'dmarc_found',
  'checked_at',
  'created_at',
] as const;

/** Locks the creation of domains for the org until the transaction ends, so a count of them is reliable. */
export async function lockDomains(trx: Trx, orgId: string): Promise<void> {
  await lockName(trx, `sending domains ${orgId}`);
}

export async function countDomains(db: Db, orgId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sending_domains')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts a domain and returns the stored one. An existing domain stays unchanged, its key included. */
export function insertDomain(
  db: Db,
  orgId: string,
  domain: Pick<SendingDomainsTable, 'id' | 'domain' | 'selector' | 'public_key' | 'private_key'>,
) {
  return db
    .insertInto('sending_domains')
    .values({ org_id: orgId, ...domain })
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'domain']).doUpdateSet({ selector: sql<string>`sending_domains.selector` }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export function findDomain(db: Db, orgId: string, domain: string) {
  return db
    .selectFrom('sending_domains')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('domain', '=', domain)
    .executeTakeFirst();
}

/** Stores the result of a DNS check of a domain. */
export function updateDomainStatus(
  db: Db,
  orgId: string,
  id: string,
  checked: Pick<SendingDomainsTable, 'found' | 'dmarc_found'> & { status: DomainStatus; dmarc_status: DomainStatus },
) {
  return db
    .updateTable('sending_domains')
    .set({ ...checked, checked_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst();
}

export async function deleteDomain(db: Db, orgId: string, domain: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sending_domains')
    .where('org_id', '=', orgId)
    .where('domain', '=', domain)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Finds the key of the longest verified one of these domains. */
export function findVerifiedDomainKey(db: Db, orgId: string, domains: string[]) {
  return db
    .selectFrom('sending_domains')
    .select(['id', 'domain', 'selector', 'private_key'])
    .where('org_id', '=', orgId)
    .where(sql<SqlBool>`domain = any(${domains}::text[])`)
    .where('status', '=', 'verified')
    .orderBy(sql`length(domain)`, 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Finds the oldest of an org's verified domains. */
export const findOldestVerifiedDomain = (db: Db, orgId: string) =>
  db
    .selectFrom('sending_domains')
    .select('domain')
    .where('org_id', '=', orgId)
    .where('status', '=', 'verified')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();

/** Lists a page of domains by creation. */
export const listDomains = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('sending_domains').select(COLUMNS).where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

/** Returns verified domains of all orgs that were not checked for a day, any of them if there are many. */
export async function listDomainsToCheck(db: Db, limit: number): Promise<{ org_id: string; domain: string }[]> {
  const { rows } = await sql<{ org_id: string; domain: string }>`
    select org_id, domain from sending_domains
    where status = 'verified' and checked_at < now() - interval '1 day'
    order by random() limit ${limit}
  `.execute(db);
  return rows;
}
