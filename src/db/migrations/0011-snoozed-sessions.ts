import { type Kysely, sql } from 'kysely';

/** Lists of snoozed sessions need not look through all open ones, which are many more. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index sessions_snoozed_by_message on sessions (org_id, coalesce(last_message_at, created_at), id)
    where status = 'open' and snoozed_at is not null
  `.execute(db);
}
