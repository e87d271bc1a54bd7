import { type Kysely, sql } from 'kysely';

/** Calls of actions that an assistant on the phone has begun, and whose process was killed, are settled. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists ai_calls_by_lease on ai_calls (coalesce(leased_until, started_at))
    where state = 'running' and workflow_id is null
  `.execute(db);
}
