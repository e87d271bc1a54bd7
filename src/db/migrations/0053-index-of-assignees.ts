import { type Kysely, sql } from 'kysely';

/** Since 0052, sessions_of_assignee_by_message has its place. Alone, as a drop keeps readers out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index if exists sessions_by_assignee`.execute(db);
}
