import { type Kysely, sql } from 'kysely';

/** Counts the failures of a turn apart from its begins: it is also begun again while the database is away. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ai_turns add column failures integer not null default 0`.execute(db);
}
