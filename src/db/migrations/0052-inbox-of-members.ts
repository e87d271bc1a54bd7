import { type Kysely, sql } from 'kysely';

/** The open sessions of a member are listed in their order by one index. Only writes wait meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists sessions_of_assignee_by_message
    on sessions (org_id, assignee_id, coalesce(last_message_at, created_at), id)
    where status = 'open' and assignee_id is not null
  `.execute(db);
}
