import { sql } from 'kysely';
import type { Db } from '../db/connect.ts';

/** Returns the settings of the org's widget as they were stored. */
export async function findWidgetSettings(db: Db, orgId: string): Promise<unknown> {
  const found = await db
    .selectFrom('widget_settings')
    .select('settings')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return found?.settings;
}

export async function upsertWidgetSettings(db: Db, orgId: string, settings: object): Promise<void> {
  const values = { org_id: orgId, settings: JSON.stringify(settings) };
  await db
    .insertInto('widget_settings')
    .values(values)
    .onConflict((oc) => oc.column('org_id').doUpdateSet({ settings: values.settings, updated_at: sql<Date>`now()` }))
    .execute();
}
