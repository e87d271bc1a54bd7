import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';

export interface IntegrationRow {
  org_id: string;
  kind: string;
  name: string;
  provider: string;
  settings: string;
  secrets: string | null;
  connected: boolean | null;
}

const COLUMNS = [
  'kind',
  'name',
  'provider',
  'settings',
  'secrets',
  'connected',
  'last_error',
  'created_at',
  'updated_at',
] as const;

export function listIntegrations(db: Db, orgId: string) {
  return db
    .selectFrom('integrations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('name')
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

/** Replaces the settings. What earlier tests found is forgotten. */
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
        last_error: null,
        account_id: null,
        updated_at: sql<Date>`now()`,
      })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

export async function insertIntegrations(db: Db, rows: IntegrationRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('integrations').values(rows).execute();
}

/** Keeps what was found of settings, unless they were replaced meanwhile. */
export async function recordCheckResult(
  db: Db,
  orgId: string,
  { kind, name, updated_at }: { kind: string; name: string; updated_at: Date },
  found: { connected?: boolean; last_error?: string | null; account_id?: string },
): Promise<void> {
  await db
    .updateTable('integrations')
    .set(found)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('updated_at', '=', updated_at)
    .execute();
}

/** Notes that what was refused with this error works. */
export async function clearError(db: Db, orgId: string, kind: string, name: string, lastError: string): Promise<void> {
  await db
    .updateTable('integrations')
    .set({ connected: true, last_error: null })
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('connected', '=', false)
    .where('last_error', '=', lastError)
    .execute();
}

export async function updateSecrets(
  db: Db,
  orgId: string,
  kind: string,
  name: string,
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

export async function deleteIntegration(db: Db, orgId: string, kind: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('integrations')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The app by which orgs grant access to their CRM, and where that is. */
export interface CrmApp {
  clientId: string;
  baseUrl: string;
}

/** Where an org's HubSpot is that names no other address. */
const HUBSPOT_URL = 'https://api.hubapi.com';

export interface PortalClaim {
  portal_id: string;
  org_id: string;
  /** Of these settings. */
  updated_at: Date;
  /** Whether HubSpot itself has said so. */
  is_confirmed: boolean;
}

const selectPortalClaims = (db: Db) =>
  db
    .selectFrom('integrations')
    .select(['org_id', 'updated_at'])
    .select(sql<string>`settings->>'portal_id'`.as('portal_id'))
    .select(sql<boolean>`account_id is not null`.as('is_confirmed'))
    .where('kind', '=', 'crm')
    .where(sql<boolean>`settings->>'portal_id' is not null and settings ? 'oauth'`);

/** The portal that an org says is its own by an app's grant. */
export const findPortalClaim = (db: Db, orgId: string): Promise<PortalClaim | undefined> =>
  selectPortalClaims(db).where('org_id', '=', orgId).executeTakeFirst();

/** Which orgs say of which portals that they are theirs, by a grant of an app at an address, and are not known to be wrong. */
export const listPortalClaims = (db: Db, { clientId, baseUrl }: CrmApp, portalIds: string[]): Promise<PortalClaim[]> =>
  selectPortalClaims(db)
    .where(sql<boolean>`settings->>'portal_id' = any(${portalIds})`)
    .where(sql<boolean>`settings->'oauth'->>'client_id' = ${clientId}`)
    .where(sql<boolean>`coalesce(settings->>'base_url', ${HUBSPOT_URL}) = ${baseUrl}`)
    .where(
      sql<boolean>`(account_id = settings->>'portal_id' or account_id is null and connected is distinct from false)`,
    )
    .execute();
