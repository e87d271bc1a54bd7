import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { AiSettings } from './schema.ts';

export const findConfig = (db: Db, orgId: string) =>
  db.selectFrom('ai_configs').select(['draft', 'published', 'version']).where('org_id', '=', orgId).executeTakeFirst();

/** An org's published settings in their stored form. */
export interface PublishedConfig {
  published: Partial<AiSettings>;
  version: number;
}

/** SQL: the published settings, null before the first change. For use inside another statement. */
export const publishedConfig = (orgId: string) => sql<PublishedConfig | null>`(
  select jsonb_build_object('published', published, 'version', version) from ai_configs where org_id = ${orgId}
)`;

/** Finds the settings of an org and locks them until the transaction ends. Makes a row if there is none. */
export async function lockConfig(trx: Trx, orgId: string) {
  await sql`
    insert into ai_configs (org_id, draft, published, version) values (${orgId}, '{}', '{}', 0) on conflict do nothing
  `.execute(trx);
  return trx
    .selectFrom('ai_configs')
    .select(['draft', 'published', 'version'])
    .where('org_id', '=', orgId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export async function updateDraft(trx: Trx, orgId: string, draft: Partial<AiSettings>): Promise<void> {
  await trx
    .updateTable('ai_configs')
    .set({ draft: JSON.stringify(draft), updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .execute();
}

/** Publishes the draft as the next version. Does nothing if it is already. */
export async function publishDraft(trx: Trx, orgId: string): Promise<void> {
  await sql`
    update ai_configs set published = draft, version = version + 1, updated_at = now()
    where org_id = ${orgId} and (published <> draft or version = 0)
  `.execute(trx);
}
