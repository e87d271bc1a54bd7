import { type Kysely, sql } from 'kysely';

/** An event is stored once for all runs that receive it, not copied for each. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table automation_events (
      org_id uuid not null,
      event_id text not null,
      output jsonb not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, event_id)
    );
    create index automation_events_of_session on automation_events (org_id, (output #>> '{session,id}'))
      where output #>> '{session,id}' is not null;
    create index automation_events_by_age on automation_events (created_at);

    insert into automation_events (org_id, event_id, output, created_at)
    select distinct on (org_id, event_id) org_id, event_id, output, heard_at from automation_heard
    order by org_id, event_id, heard_at;

    drop index automation_heard_of_session;
    alter table automation_heard
      drop column output,
      add foreign key (org_id, event_id) references automation_events (org_id, event_id);
    create index automation_heard_of_event on automation_heard (org_id, event_id);
  `.execute(db);
}
