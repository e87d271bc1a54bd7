import { type Kysely, sql } from 'kysely';

/**
 * Several conditions on the sessions of insights at once are answered by one index alone, insight by insight: Postgres
 * skips what does not match in each. By the time of the sessions, it had to read all of a range.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index insight_sessions_by_several
      on insight_sessions (org_id, insight_id, status, language, channel, ticket_sentiment, sentiment, session_created_at);
    drop index insight_sessions_by_all;
  `.execute(db);
}
