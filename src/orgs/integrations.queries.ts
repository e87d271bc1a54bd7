import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

export interface IntegrationRow {
  org_id: string;
  kind: string;
  name: string;
  provider: string;
  settings: string;
  secrets: string | null;
  connected: boolean | null;
}

const SHOWN = [
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
    .select(SHOWN)
    .where('org_id', '=', orgId)
    .orderBy('kind')
    .orderBy('name')
    .execute();
}

const one = (db: Db, orgId: string, kind: string, name: string) =>
  db
    .selectFrom('integrations')
    .select(SHOWN)
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .where('name', '=', name);

export const findIntegration = (db: Db, orgId: string, kind: string, name: string) =>
  one(db, orgId, kind, name).executeTakeFirst();

export const lockIntegration = (db: Db, orgId: string, kind: string, name: string) =>
  one(db, orgId, kind, name).forUpdate().executeTakeFirst();

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
        updated_at: sql<Date>`now()`,
      })),
    )
    .returning(SHOWN)
    .executeTakeFirstOrThrow();
}

export async function insertIntegrations(db: Db, rows: IntegrationRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('integrations').values(rows).execute();
}

/** Keeps what a test found, unless the settings that it tested were replaced meanwhile. */
export async function recordTest(
  db: Db,
  orgId: string,
  { kind, name, updated_at }: { kind: string; name: string; updated_at: Date },
  found: { connected: boolean; last_error: string | null },
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

export async function deleteIntegration(db: Db, orgId: string, kind: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('integrations')
    .where('org_id', '=', orgId)
    .where('kind', '=', kind)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
