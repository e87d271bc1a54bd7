import { type Kysely, sql } from 'kysely';

/** Members hear of what concerns them, and jobs change many sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notifications (
      org_id uuid not null,
      id uuid not null,
      user_id bigint not null,
      kind text not null check (kind in ('mention', 'assigned', 'breach', 'confirmation', 'ended')),
      session_id uuid,
      data jsonb not null,
      created_at timestamptz(3) not null default now(),
      read_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade,
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index notifications_of_member on notifications (org_id, user_id, created_at, id)`.execute(db);
  await sql`
    create index notifications_unread on notifications (org_id, user_id, created_at, id) where read_at is null
  `.execute(db);
  await sql`
    create index notifications_of_session on notifications (org_id, session_id) where session_id is not null
  `.execute(db);
  await sql`create index notifications_by_age on notifications (created_at)`.execute(db);
  await sql`
    create table session_jobs (
      org_id uuid not null references orgs (id),
      id uuid not null,
      user_id bigint,
      action jsonb not null,
      state text not null default 'running' check (state in ('running', 'done')),
      total integer not null,
      done integer not null default 0,
      failed integer not null default 0,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, user_id) references members (org_id, user_id) on delete set null (user_id)
    )
  `.execute(db);
  await sql`create index session_jobs_running on session_jobs (org_id, id) where state = 'running'`.execute(db);
  await sql`create index session_jobs_of_member on session_jobs (org_id, user_id) where user_id is not null`.execute(
    db,
  );
  await sql`create index session_jobs_ended on session_jobs (ended_at) where ended_at is not null`.execute(db);
  await sql`
    create table session_job_items (
      org_id uuid not null,
      job_id uuid not null,
      session_id uuid not null,
      error text,
      is_done boolean not null default false,
      primary key (org_id, job_id, session_id),
      foreign key (org_id, job_id) references session_jobs (org_id, id) on delete cascade,
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`
    create index session_job_items_left on session_job_items (org_id, job_id, session_id) where not is_done
  `.execute(db);
  await sql`
    create index session_job_items_failed on session_job_items (org_id, job_id, session_id) where error is not null
  `.execute(db);
  await sql`create index session_job_items_of_session on session_job_items (org_id, session_id)`.execute(db);
}
