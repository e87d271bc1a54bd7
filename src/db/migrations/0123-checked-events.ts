import { type Kysely, sql } from 'kysely';

/** A wait evaluates each event once. The index has those that it has not evaluated yet, also of a run with many. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table automation_received_events add column checked_place text;
    create index automation_received_events_unchecked
      on automation_received_events (org_id, run_id, trigger_type, checked_place) where not is_consumed;
  `.execute(db);
}
