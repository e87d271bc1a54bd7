import { type Kysely, sql } from 'kysely';

/**
 * What a disabled endpoint would have got is held in steps, and recoveries of many deliveries are made in steps: those
 * that are not finished stand at their endpoint. The time of the last failure tells an endpoint that keeps failing from
 * one that got nothing in between. It is not known of earlier failures: they count as if they were of now.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table webhook_endpoints
      add column recoveries jsonb not null default '[]',
      add column last_failed_at timestamptz(3);
    update webhook_endpoints set last_failed_at = now() where failing_since is not null;
  `.execute(db);
}
