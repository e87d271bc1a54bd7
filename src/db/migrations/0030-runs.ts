import { type Kysely, sql } from 'kysely';

/** Runs are listed over all workflows, by what they wait for, and jobs change many of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // First what needs no lock against readers.
  await sql`
    create index if not exists automation_runs_unsuccessful on automation_runs (org_id, status, created_at, id)
      where status in ('failed', 'canceled')
  `.execute(db);
  await sql`
    create index if not exists automation_runs_of_contact on automation_runs (org_id, (trigger_output #>> '{contact,id}'))
      where (trigger_output #>> '{contact,id}') is not null
  `.execute(db);
  await sql`
    create index if not exists automation_steps_unfinished on automation_steps (org_id, run_id)
      where status in ('in_progress', 'waiting', 'failed')
  `.execute(db);
  await sql`alter table automation_runs add column if not exists waits_for text`.execute(db);
  await sql`alter table automation_steps add column if not exists next_try_at timestamptz(3)`.execute(db);
  await sql`
    update automation_runs as run set waits_for = case when exists (
      select from automation_steps as step
      where step.org_id = run.org_id and step.run_id = run.id and step.status = 'waiting' and step.type = 'wait-for-event'
    ) then 'event' else 'timer' end
    where status = 'in_progress' and is_waiting
  `.execute(db);
  await sql`
    create index if not exists automation_runs_waiting on automation_runs (org_id, waits_for, created_at, id) where waits_for is not null
  `.execute(db);
  await sql`
    create index if not exists automation_steps_to_retry on automation_steps (org_id, run_id) where next_try_at is not null
  `.execute(db);
  await sql`
    create table run_jobs (
      org_id uuid not null references orgs (id),
      id uuid not null,
      user_id bigint,
      caller_id text not null,
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
  await sql`create index run_jobs_running on run_jobs (org_id, id) where state = 'running'`.execute(db);
  await sql`create index run_jobs_of_member on run_jobs (org_id, user_id) where user_id is not null`.execute(db);
  await sql`create index run_jobs_ended on run_jobs (ended_at) where ended_at is not null`.execute(db);
  await sql`
    create table run_job_items (
      org_id uuid not null,
      job_id uuid not null,
      run_id uuid not null,
      error text,
      is_done boolean not null default false,
      primary key (org_id, job_id, run_id),
      foreign key (org_id, job_id) references run_jobs (org_id, id) on delete cascade,
      foreign key (org_id, run_id) references automation_runs (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index run_job_items_left on run_job_items (org_id, job_id, run_id) where not is_done`.execute(db);
  await sql`
    create index run_job_items_failed on run_job_items (org_id, job_id, run_id) where error is not null
  `.execute(db);
  await sql`create index run_job_items_of_run on run_job_items (org_id, run_id)`.execute(db);
}
