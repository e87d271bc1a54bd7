import { type Kysely, sql } from 'kysely';

/** Calls of actions that an assistant on the phone has begun, and whose process was killed, are settled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index ai_calls_by_lease on ai_calls (leased_until) where state = 'running' and workflow_id is null
  `.execute(db);
}
