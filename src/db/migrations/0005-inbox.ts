import { type Kysely, sql } from 'kysely';

/** Lists of sessions in the orders of an inbox, and views of them that members keep. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column sla_metric text,
      add column sla_due_at timestamptz(3),
      add column sla_warning_at timestamptz(3)
  `.execute(db);
  // The repair evaluates them, which also sets what is new here.
  await sql`
    insert into due_work (org_id, kind, subject_id) select org_id, 'sla', session_id from session_slas where not is_over
  `.execute(db);
  await sql`
    create index sessions_open_by_message on sessions (org_id, coalesce(last_message_at, created_at), id) where status = 'open'
  `.execute(db);
  await sql`
    create index sessions_closed_by_message on sessions (org_id, coalesce(last_message_at, created_at), id) where status <> 'open'
  `.execute(db);
  await sql`
    create index sessions_open_by_wait on sessions (org_id, coalesce(waiting_since, 'infinity'), id) where status = 'open'
  `.execute(db);
  await sql`
    create index sessions_open_by_sla on sessions (org_id, coalesce(sla_due_at, 'infinity'), id) where status = 'open'
  `.execute(db);
  await sql`create index sessions_open_by_creation on sessions (org_id, created_at, id) where status = 'open'`.execute(
    db,
  );
  await sql`
    create index sessions_open_by_warning on sessions (org_id, sla_warning_at) where status = 'open' and sla_warning_at is not null
  `.execute(db);
  await sql`
    create index sessions_open_of_ai on sessions (org_id, coalesce(last_message_at, created_at), id)
      where status = 'open' and ai_state = 'on' and assignee_id is null
  `.execute(db);
  await sql`
    create table inbox_views (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      query jsonb not null,
      position integer not null,
      member_id bigint,
      team_id uuid,
      created_by bigint,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      check (num_nonnulls(member_id, team_id) < 2),
      foreign key (org_id, member_id) references members (org_id, user_id) on delete cascade,
      foreign key (org_id, team_id) references teams (org_id, id) on delete cascade,
      foreign key (org_id, created_by) references members (org_id, user_id) on delete set null (created_by)
    )
  `.execute(db);
  await sql`create index inbox_views_in_order on inbox_views (org_id, position, id)`.execute(db);
  await sql`create index inbox_views_of_member on inbox_views (org_id, member_id) where member_id is not null`.execute(
    db,
  );
  await sql`create index inbox_views_of_team on inbox_views (org_id, team_id) where team_id is not null`.execute(db);
  await sql`create index inbox_views_by_author on inbox_views (org_id, created_by) where created_by is not null`.execute(
    db,
  );
}
