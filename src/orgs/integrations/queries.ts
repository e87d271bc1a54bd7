import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import type { HandoffTarget } from '../settings/warnings.rules.ts';
import type { CallSummary } from './calls.rules.ts';

export interface IntegrationRow {
  org_id: string;
  kind: string;
  name: string;
  provider: string;
  settings: string;
  secrets: string | null;
  connected: boolean | null;
}

/** What tells an org's integrations apart. */
export interface IntegrationKey {
  kind: string;
  name: string;
}

const COLUMNS = [
  'kind',
  'name',
  'provider',
  'settings',
  'secrets',
  'connected',
  'has_standing_error',
  'last_success_at',
  'last_error',
  'last_error_at',
  'failing_since',
  'created_at',
  'updated_at',
] as const;

/** The columns of a connection without an error. */
const NO_ERROR = { last_error: null, last_error_at: null, failing_since: null, has_standing_error: false } as const;

export function listIntegrations(db: Db, orgId: string) {
  return db
    .selectFrom('integrations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('name')
    .execute();
}

/** SQL: whether the org has a connection of a kind by this name. */
export const connectionExists = (
  orgId: string,
  kind: string,
  name: string,
): RawBuilder<boolean> => sql<boolean>`exists (
  select from integrations where org_id = ${orgId} and kind = ${kind} and name = ${name}
)`;

/** Lists the connections of a kind by name. */
export const listIntegrationsOf = (db: Db, orgId: string, kind: string) =>
  db
    .selectFrom('integrations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .orderBy('name')
    .execute();

/** Deletes the connections of a kind with other names. */
export async function deleteIntegrationsExcept(db: Db, orgId: string, kind: string, names: string[]): Promise<void> {
  await db
    .deleteFrom('integrations')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '!=', sql<string>`all(${names}::text[])`)
    .execute();
}

const selectIntegration = (db: Db, orgId: string, kind: string, name: string) =>
  db
    .selectFrom('integrations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name);

export const findIntegration = (db: Db, orgId: string, kind: string, name: string) =>
  selectIntegration(db, orgId, kind, name).executeTakeFirst();

export const lockIntegration = (db: Db, orgId: string, kind: string, name: string) =>
  selectIntegration(db, orgId, kind, name).forUpdate().executeTakeFirst();

/** Replaces the settings and clears the results of earlier tests. */
export function upsertIntegration(db: Db, row: IntegrationRow) {
  return db
    .insertInto('integrations')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['org_id', 'kind', 'name']).doUpdateSet((eb) => ({
        provider: eb.ref('excluded.provider'),
        settings: eb.ref('excluded.settings'),
        secrets: eb.ref('excluded.secrets'),
        connected: eb.ref('excluded.connected'),
        ...NO_ERROR,
        last_success_at: null,
        account_id: null,
        updated_at: sql<Date>`now()`,
      })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Inserts a connection. Returns false if there is one of its kind and name. */
export async function insertIntegration(db: Db, row: IntegrationRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('integrations')
    .values(row)
    .onConflict((oc) => oc.columns(['org_id', 'kind', 'name']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export async function insertIntegrations(db: Db, rows: IntegrationRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('integrations').values(rows).execute();
}

/** A verdict on a connection. A standing error outlasts successful calls: it is not about calls. */
export type CheckedConnection = { account_id?: string } & (
  | { connected: true }
  | { connected: false; last_error: string; has_standing_error: boolean; is_failing: boolean }
  | object
);

/** Records the result of a check, unless the settings were replaced meanwhile. */
export async function recordCheckResult(
  db: Db,
  orgId: string,
  { kind, name, updated_at }: IntegrationKey & { updated_at: Date },
  connection: CheckedConnection,
): Promise<void> {
  await db
    .updateTable('integrations')
    .set(columnsOf(connection))
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('updated_at', '=', updated_at)
    .execute();
}

function columnsOf({ account_id, ...found }: CheckedConnection) {
  const account = account_id === undefined ? {} : { account_id };
  if (!('connected' in found)) return account;
  if (found.connected) return { ...account, connected: true, ...NO_ERROR, last_success_at: sql<Date>`now()` };
  const { is_failing, ...error } = found;
  const failing_since = is_failing ? { failing_since: sql<Date>`coalesce(failing_since, now())` } : {};
  return { ...account, ...error, last_error_at: sql<Date>`now()`, ...failing_since };
}

/** What the calls of a connection have shown. Times are in milliseconds. */
export type CallRow = CallSummary & IntegrationKey & { org_id: string };

/**
 * Records how calls ended. Rows are locked in the order of their keys, so that two processes never wait for each other.
 * Calls by settings replaced meanwhile are left out. A standing error keeps its text.
 */
export async function recordCalls(db: Db, rows: CallRow[]): Promise<void> {
  await sql`
    with called as (
      select org_id, kind, name, error,
        to_timestamp("succeededAt" / 1000.0)::timestamptz(3) as succeeded_at,
        to_timestamp("failedAt" / 1000.0)::timestamptz(3) as failed_at,
        to_timestamp("failingSince" / 1000.0)::timestamptz(3) as failing_since
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as summary (
        org_id uuid, kind text, name text, error text, "succeededAt" bigint, "failedAt" bigint, "failingSince" bigint
      )
    ), locked as materialized (
      select org_id, kind, name, updated_at from integrations
      where (org_id, kind, name) in (select org_id, kind, name from called)
      order by org_id, kind, name
      for no key update
    ), shown as (
      select org_id, kind, name,
        case when succeeded_at >= updated_at then succeeded_at end as succeeded_at,
        case when failed_at >= updated_at then failed_at end as failed_at,
        case when failed_at >= updated_at then error end as error,
        greatest(updated_at, failing_since) as failing_since,
        failing_since is not null as is_failing
      from called join locked using (org_id, kind, name)
      where greatest(succeeded_at, failed_at) >= updated_at
    )
    update integrations as known set
      connected = case when is_failing or has_standing_error or connected is null then connected else true end,
      last_success_at = greatest(known.last_success_at, shown.succeeded_at),
      last_error = case
        when shown.error is null or has_standing_error or known.last_error_at > shown.failed_at then known.last_error
        when shown.failed_at < errors_cut_at + ${LONGEST_CALL} then ${statusOf(sql`shown.error`)}
        else shown.error
      end,
      last_error_at = greatest(known.last_error_at, shown.failed_at),
      failing_since = case
        when not is_failing then null
        when shown.succeeded_at is null then coalesce(known.failing_since, shown.failing_since)
        else shown.failing_since
      end
    from shown
    where known.org_id = shown.org_id and known.kind = shown.kind and known.name = shown.name
  `.execute(db);
}

/** Records that a connection works again, if it was refused with this error. */
export async function clearError(
  db: Db,
  orgId: string,
  { kind, name }: IntegrationKey,
  lastErrors: string[],
): Promise<void> {
  await db
    .updateTable('integrations')
    .set({ connected: true, ...NO_ERROR, last_success_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('connected', '=', false)
    .where('last_error', 'in', lastErrors)
    .execute();
}

export async function updateSecrets(
  db: Db,
  orgId: string,
  { kind, name }: IntegrationKey,
  secrets: string | null,
): Promise<void> {
  await db
    .updateTable('integrations')
    .set({ secrets })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .execute();
}

/** Deletes a connection of a kind, or all of them. Returns whether there was one. */
export async function deleteIntegration(db: Db, orgId: string, kind: string, name?: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('integrations')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The app used by orgs to grant access to their CRM, and the address of the CRM's API. */
export interface CrmApp {
  clientId: string;
  baseUrl: string;
}

/** The default address of HubSpot's API. */
const HUBSPOT_URL = 'https://api.hubapi.com';

export interface PortalClaim {
  portal_id: string;
  org_id: string;
  /** The time of the claiming settings. */
  updated_at: Date;
  /** Whether HubSpot has named the account of the credentials. */
  is_confirmed: boolean;
  last_error: string | null;
}

const selectPortalClaims = (db: Db) =>
  db
    .selectFrom('integrations')
    .select(['org_id', 'updated_at', 'last_error'])
    .select(sql<string>`settings->>'portal_id'`.as('portal_id'))
    .select(sql<boolean>`account_id is not null`.as('is_confirmed'))
    .where('kind', '=', 'crm')
    .where(sql<boolean>`settings->>'portal_id' is not null and settings ? 'oauth'`);

/** Sets the error of the CRM connections of some orgs, those with a given error or with any. */
export async function setCrmErrors(
  db: Db,
  orgIds: string[],
  { from, to }: { from?: string; to: string | null },
): Promise<void> {
  await db
    .updateTable('integrations')
    .set({ last_error: to, last_error_at: to === null ? null : sql<Date>`now()`, has_standing_error: to !== null })
    .where('org_id', 'in', orgIds)
    .where('kind', '=', 'crm')
    .where('last_error', 'is distinct from', to)
    .$if(from !== undefined, (query) => query.where('last_error', '=', from ?? ''))
    .execute();
}

/** Returns the portal claimed by an org through an app's grant. */
export const findPortalClaim = (db: Db, orgId: string): Promise<PortalClaim | undefined> =>
  selectPortalClaims(db).where('org_id', '=', orgId).executeTakeFirst();

/** Lists the claims whose account HubSpot has not named yet, except those with a condition on `integrations`. */
export const listUnconfirmedClaims = (
  db: Db,
  { after, except, limit }: { after: string | undefined; except: RawBuilder<SqlBool>; limit: number },
): Promise<PortalClaim[]> =>
  selectPortalClaims(db)
    .where('account_id', 'is', null)
    .where(sql<boolean>`not ${except}`)
    .$if(after !== undefined, (query) => query.where('org_id', '>', after ?? ''))
    .orderBy('org_id')
    .limit(limit)
    .execute();

/**
 * Returns the claims of orgs to portals, by grants of an app at an address. Leaves out claims contradicted by HubSpot,
 * and unconfirmed claims of failing connections.
 */
export const listPortalClaims = (db: Db, { clientId, baseUrl }: CrmApp, portalIds: string[]): Promise<PortalClaim[]> =>
  selectPortalClaims(db)
    .where(sql<boolean>`settings->>'portal_id' = any(${portalIds})`)
    .where(sql<boolean>`settings->'oauth'->>'client_id' = ${clientId}`)
    .where(sql<boolean>`coalesce(settings->>'base_url', ${HUBSPOT_URL}) = ${baseUrl}`)
    .where(
      sql<boolean>`(account_id = settings->>'portal_id' or account_id is null and connected is distinct from false)`,
    )
    .execute();

/** Shows an error on an org's connection of a kind, if there is one. */
export async function setConnectionError(
  db: Db,
  orgId: string,
  { kind, name }: IntegrationKey,
  error: string,
): Promise<void> {
  await db
    .updateTable('integrations')
    .set({ last_error: error, last_error_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .execute();
}

/** SQL: an error without what the other system said, if that is known of it. */
const statusOf = (error: RawBuilder<unknown>) => sql`regexp_replace(${error}, '^(\\S+ answered \\d{3}): .*$', '\\1')`;

/** A call that was under way when errors were cut may still end with words of before. */
const LONGEST_CALL = sql`interval '2 minutes'`;

/**
 * Cuts the last errors of an org's connections to the status, and those of calls under way: what the other system said
 * may quote a redacted text.
 */
export async function cutErrorsToStatus(db: Db, orgId: string): Promise<void> {
  await sql`
    update integrations set last_error = ${statusOf(sql`last_error`)}, errors_cut_at = now() where org_id = ${orgId}
  `.execute(db);
}

/** Returns which of the systems that take sessions over an org has connected. */
export async function listHandoffTargets(db: Db, orgId: string): Promise<Set<HandoffTarget>> {
  const rows = await db
    .selectFrom('integrations')
    .select('kind')
    .where('org_id', '=', orgId)
    .where('kind', 'in', ['crm', 'miaw'])
    .$narrowType<{ kind: HandoffTarget }>()
    .execute();
  return new Set(rows.map(({ kind }) => kind));
}
