import { type Kysely, sql } from 'kysely';

/** A workflow with very many runs cannot be deleted in one request: it is hidden, and its runs are deleted afterwards. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table automations add column deleted_at timestamptz(3);
    create index automations_deleted on automations (org_id, id) where deleted_at is not null;
  `.execute(db);
}
