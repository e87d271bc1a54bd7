import { type Kysely, sql } from 'kysely';

/**
 * One index a filter of the lists, so that a rare value is found without reading the others. Those of a contact are few: they are
 * found by deliveries_by_contact and sorted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index deliveries_of_sequence_by_creation on deliveries (org_id, sequence_id, created_at, id) where sequence_id is not null;
    create index deliveries_of_status_by_creation on deliveries (org_id, status, created_at, id);
    create index deliveries_of_channel_by_creation on deliveries (org_id, channel, created_at, id);
    create index suppressions_of_channel_by_creation on suppressions (org_id, channel, created_at, id);
  `.execute(db);
}
