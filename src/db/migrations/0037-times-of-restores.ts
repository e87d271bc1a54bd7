import { type Kysely, sql } from 'kysely';

/**
 * A pause that has ended keeps its row, as it counts towards no message's time. A workflow restored from a backup does not
 * catch up the scheduled times of the lost time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table sending_pause add column resumed_at timestamptz(3)`.execute(db);
  await sql`alter table automations add column times_lost_until timestamptz(3)`.execute(db);
}
