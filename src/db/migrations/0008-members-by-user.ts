import { type Kysely, sql } from 'kysely';

/** Members who sign in by mail, or change to another org, are found by their account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index members_by_user on members (user_id)`.execute(db);
}
