import { type Kysely, sql } from 'kysely';

/**
 * Forecasts of large sequences, which are computed by a workflow: a sequence has one in progress at a time. And an index
 * to find the steps that have waited for an event of a session.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sequence_forecasts (
      org_id uuid not null references orgs (id),
      id uuid not null,
      sequence_id uuid not null,
      state text not null default 'in_progress' check (state in ('in_progress', 'done', 'failed')),
      contacts_done integer not null default 0,
      contacts integer not null,
      steps jsonb,
      error text,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, sequence_id) references sequences (org_id, id) on delete cascade,
      check ((state = 'in_progress') = (ended_at is null))
    );
    create unique index sequence_forecasts_in_progress on sequence_forecasts (org_id, sequence_id) where state = 'in_progress';
    create index sequence_forecasts_by_sequence on sequence_forecasts (org_id, sequence_id);
    create index sequence_forecasts_by_age on sequence_forecasts (created_at);

    create index automation_steps_of_awaited_event on automation_steps (org_id, (output #>> '{event,session,id}'))
      where output #>> '{event,session,id}' is not null;
  `.execute(db);
}
