import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { compiledOnce } from '../../db/connections/compiled-once.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { lockName } from '../../db/locks.ts';
import type { EndpointRef } from '../contract.ts';
import type { Recovery, WebhookEndpointsTable } from '../table.ts';

/** SQL: how an endpoint fares. */
const STATE = sql<'healthy' | 'failing' | 'disabled'>`case when not enabled then 'disabled'
  when failing_since is not null then 'failing' else 'healthy' end`;

const SHOWN = [
  'id',
  'url',
  'description',
  'event_types',
  'payload',
  'ordered',
  'max_per_second',
  'header_names',
  'enabled',
  'disabled_because',
  'failing_since',
  'created_at',
  'updated_at',
] as const;

const existing = (db: Db, orgId: string) =>
  db.selectFrom('webhook_endpoints').where('org_id', '=', orgId).where('deleted_at', 'is', null);

export const listEndpoints = (db: Db, orgId: string, page: PageRequest) =>
  existing(db, orgId).select(SHOWN).select(STATE.as('state')).$call(orderedByCreation(page)).execute();

export const findEndpoint = (db: Db, orgId: string, id: string) =>
  existing(db, orgId).select(SHOWN).select(STATE.as('state')).where('id', '=', id).executeTakeFirst();

export type ShownEndpoint = NonNullable<Awaited<ReturnType<typeof findEndpoint>>>;

/** Finds an endpoint with its secrets, and locks it until the transaction ends. */
export const lockEndpoint = (trx: Trx, orgId: string, id: string) =>
  existing(trx, orgId).selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();

export type LockedEndpoint = NonNullable<Awaited<ReturnType<typeof lockEndpoint>>>;

/** SQL: another one after each change of an endpoint. */
export const VERSION = sql<string>`xmin::text`;

/** Finds an endpoint with its secrets, and how it fares now. */
export const findWholeEndpoint = (db: Db, orgId: string, id: string) =>
  existing(db, orgId)
    .selectAll()
    .select(VERSION.as('version'))
    .select(sql<number>`coalesce(extract(epoch from probe_at - now()) * 1000, 0)::float8`.as('probe_in_ms'))
    .select(sql<number>`coalesce(extract(epoch from now() - failing_since) * 1000, 0)::float8`.as('failing_for_ms'))
    .where('id', '=', id)
    .executeTakeFirst();

export type WholeEndpoint = NonNullable<Awaited<ReturnType<typeof findWholeEndpoint>>>;

/** Lists which types the endpoints of an org want. */
export const listWantedTypes = (db: Db, orgId: string) => existing(db, orgId).select('event_types').execute();

export const countEndpoints = async (db: Db, orgId: string): Promise<number> =>
  (await existing(db, orgId).select('id').execute()).length;

export async function insertEndpoint(trx: Trx, row: Insertable<WebhookEndpointsTable>): Promise<void> {
  await trx.insertInto('webhook_endpoints').values(row).execute();
}

export async function updateEndpoint(
  trx: Trx,
  orgId: string,
  id: string,
  change: Updateable<WebhookEndpointsTable>,
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ ...change, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Replaces the recoveries of an endpoint that are not finished. */
export async function updateRecoveries(
  trx: Trx,
  { orgId, endpointId }: EndpointRef,
  recoveries: Recovery[],
): Promise<void> {
  await trx
    .updateTable('webhook_endpoints')
    .set({ recoveries: JSON.stringify(recoveries) })
    .where('org_id', '=', orgId)
    .where('id', '=', endpointId)
    .execute();
}

/** The columns of an endpoint about which nothing bad is known. */
export const HEALTHY = { failures: 0, failing_since: null, probe_at: null } as const;

/** The name of the lock of an endpoint's sender, before the endpoint's id. */
const SENDER_LOCK = 'webhook sender ';

/**
 * Lists the endpoints of an org that want one of these types, and locks all of them against being disabled, and against
 * the end of their senders, until the transaction ends: what it stores for them from now on is sent, or held. In an org
 * without endpoints, this costs one read.
 */
export const lockTargets = async (trx: Trx, orgId: string, types: readonly string[]): Promise<Target[]> =>
  (await trx.executeQuery(lockedTargets(trx, { orgId, types }))).rows;

const lockedTargets = compiledOnce(({ orgId, types }: { orgId: string; types: readonly string[] }, db) =>
  existing(db, orgId)
    .select(['id', 'event_types', 'payload'])
    .select(sql`pg_advisory_xact_lock_shared(hashtextextended(${sql.lit(SENDER_LOCK)} || id, 0))`.as('lock'))
    .where(sql<boolean>`(event_types = '{}' or event_types && ${types}::text[])`)
    .orderBy('id'),
);

export type Target = Pick<WebhookEndpointsTable, 'id' | 'event_types' | 'payload'>;

/** Waits for transactions that have called lockTargets. What they have stored can be read afterwards. */
export async function lockSender(trx: Trx, endpointId: string): Promise<void> {
  await lockName(trx, SENDER_LOCK + endpointId);
}
