import { type Kysely, sql } from 'kysely';

/** Names that say what rows are: events that a run has received, and the handoff hold that waits for a run. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table automation_heard rename to automation_received_events;
    alter table automation_received_events rename column heard_at to received_at;
    alter table automation_received_events rename column is_taken to is_consumed;
    alter table automation_received_events rename constraint automation_heard_pkey to automation_received_events_pkey;
    alter table automation_received_events
      rename constraint automation_heard_org_id_run_id_fkey to automation_received_events_org_id_run_id_fkey;
    alter table automation_received_events
      rename constraint automation_heard_org_id_event_id_fkey to automation_received_events_org_id_event_id_fkey;
    alter index automation_heard_of_event rename to automation_received_events_of_event;

    alter table automation_runs rename column gate_id to handoff_hold_id;
    alter index automation_runs_of_gate rename to automation_runs_of_handoff_hold;
  `.execute(db);
}
