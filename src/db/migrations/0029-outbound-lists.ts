import { type Kysely, sql } from 'kysely';

/**
 * Sequences, enrollments and deliveries are listed by more filters and counted by time, and jobs settle many deliveries.
 * Domains remember what DNS has in the place of their records.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index if not exists sequences_of_status_by_creation on sequences (org_id, status, created_at, id) where deleted_at is null
  `.execute(db);
  await sql`
    create index if not exists enrollments_by_position
    on enrollments (org_id, sequence_id, coalesce(last_step_id, sequence_id), created_at, id) where status = 'active'
  `.execute(db);
  await sql`
    create index if not exists enrollments_by_exit_reason
    on enrollments (org_id, sequence_id, left(split_part(exit_reason, ':', 1), 100), created_at, id) where exit_reason is not null
  `.execute(db);
  await sql`
    create index if not exists deliveries_of_sequence_by_time
    on deliveries (org_id, sequence_id, created_at, id) include (step_id, status) where sequence_id is not null
  `.execute(db);
  await sql`
    create index if not exists deliveries_by_reason
    on deliveries (org_id, left(split_part(reason, ':', 1), 100), created_at, id) where reason is not null
  `.execute(db);
  await sql`
    create index if not exists deliveries_with_reason on deliveries (org_id, created_at, id) where reason is not null
  `.execute(db);
  await sql`alter table sending_domains add column found text[], add column dmarc_found text[]`.execute(db);
  await sql`
    create table delivery_jobs (
      org_id uuid not null references orgs (id),
      id uuid not null,
      user_id bigint,
      outcome text not null check (outcome in ('sent', 'failed')),
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
  await sql`create index delivery_jobs_running on delivery_jobs (org_id, id) where state = 'running'`.execute(db);
  await sql`create index delivery_jobs_of_member on delivery_jobs (org_id, user_id) where user_id is not null`.execute(
    db,
  );
  await sql`create index delivery_jobs_ended on delivery_jobs (ended_at) where ended_at is not null`.execute(db);
  await sql`
    create table delivery_job_items (
      org_id uuid not null,
      job_id uuid not null,
      delivery_id uuid not null,
      error text,
      is_done boolean not null default false,
      primary key (org_id, job_id, delivery_id),
      foreign key (org_id, job_id) references delivery_jobs (org_id, id) on delete cascade,
      foreign key (org_id, delivery_id) references deliveries (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`
    create index delivery_job_items_left on delivery_job_items (org_id, job_id, delivery_id) where not is_done
  `.execute(db);
  await sql`
    create index delivery_job_items_failed on delivery_job_items (org_id, job_id, delivery_id) where error is not null
  `.execute(db);
  await sql`create index delivery_job_items_of_delivery on delivery_job_items (org_id, delivery_id)`.execute(db);
}
