import { type Kysely, sql } from 'kysely';

/** Until when an attempt owns a part: a step of a customer's workflow and the handoff may want the same ticket at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table crm_handoff_parts add column leased_until timestamptz(3)`.execute(db);
}
