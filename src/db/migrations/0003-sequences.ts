import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sequences (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      custom_id text,
      is_continuous boolean not null,
      filter jsonb,
      status text not null check (status in ('pending', 'active', 'paused', 'complete', 'canceled')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      started_at timestamptz(3),
      paused_at timestamptz(3),
      canceled_at timestamptz(3),
      ended_at timestamptz(3),
      paused_reason text,
      deleted_at timestamptz(3),
      primary key (org_id, id)
    );
    create unique index sequences_custom_id_key on sequences (org_id, custom_id) where deleted_at is null;
    create index sequences_by_creation on sequences (org_id, created_at, id) where deleted_at is null;
    create index sequences_listening on sequences (org_id)
      where is_continuous and deleted_at is null and status in ('active', 'paused');

    create table sequence_steps (
      org_id uuid not null,
      id uuid not null,
      sequence_id uuid not null,
      position integer not null,
      action jsonb not null,
      delay_in_minutes double precision not null,
      deleted_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, sequence_id) references sequences (org_id, id)
    );
    create index sequence_steps_in_order on sequence_steps (org_id, sequence_id, position);

    create table sequence_runs (
      org_id uuid not null,
      id uuid not null,
      sequence_id uuid not null,
      enrolled_through uuid,
      is_enrolled boolean not null,
      created_at timestamptz(3) not null default now(),
      canceled_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, sequence_id) references sequences (org_id, id)
    );
    create index sequence_runs_by_sequence on sequence_runs (org_id, sequence_id, created_at);

    create table enrollments (
      org_id uuid not null,
      id uuid not null,
      sequence_id uuid not null,
      contact_id uuid not null,
      run_id uuid,
      status text not null default 'active' check (status in ('active', 'complete', 'canceled')),
      last_step_id uuid,
      anchor_at timestamptz(3) not null default now(),
      held_until timestamptz(3),
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, id),
      unique (org_id, sequence_id, contact_id),
      foreign key (org_id, sequence_id) references sequences (org_id, id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete cascade,
      foreign key (org_id, run_id) references sequence_runs (org_id, id),
      foreign key (org_id, last_step_id) references sequence_steps (org_id, id)
    );
    create index enrollments_due on enrollments (org_id, sequence_id, coalesce(last_step_id, sequence_id), anchor_at)
      where status = 'active' and held_until is null;
    create index enrollments_held on enrollments (org_id, sequence_id, held_until)
      where status = 'active' and held_until is not null;
    create index enrollments_by_creation on enrollments (org_id, sequence_id, created_at, id);
    create index enrollments_by_contact on enrollments (org_id, contact_id);
    create index enrollments_by_run on enrollments (org_id, run_id) where status = 'active';
    create index enrollments_by_last_step on enrollments (org_id, last_step_id);

    create table email_requests (
      org_id uuid not null references orgs (id),
      id uuid not null,
      from_email text not null,
      due_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );

    create table deliveries (
      org_id uuid not null references orgs (id),
      id uuid not null,
      channel text not null check (channel in ('email', 'sms', 'whatsapp', 'voice')),
      sequence_id uuid,
      enrollment_id uuid,
      step_id uuid,
      email_request_id uuid,
      contact_id uuid,
      "to" text,
      status text not null check (status in ('held', 'queued', 'sending', 'accepted', 'sent', 'delivered', 'read', 'failed',
        'bounced', 'suppressed', 'skipped', 'unknown', 'canceled')),
      reason text,
      provider text,
      provider_id text,
      attempts integer not null default 0,
      lease uuid,
      not_before timestamptz(3),
      content jsonb,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      sent_at timestamptz(3),
      primary key (org_id, id),
      constraint deliveries_once_a_step unique (org_id, enrollment_id, step_id),
      foreign key (org_id, sequence_id) references sequences (org_id, id),
      foreign key (org_id, step_id) references sequence_steps (org_id, id),
      foreign key (org_id, enrollment_id) references enrollments (org_id, id) on delete set null (enrollment_id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete set null (contact_id),
      foreign key (org_id, email_request_id) references email_requests (org_id, id)
    );
    create index deliveries_by_creation on deliveries (org_id, created_at, id);
    create index deliveries_by_sequence on deliveries (org_id, sequence_id, step_id, status);
    create index deliveries_by_contact on deliveries (org_id, contact_id, sent_at) where contact_id is not null;
    create index deliveries_by_email_request on deliveries (org_id, email_request_id, status) where email_request_id is not null;
    create index deliveries_unsettled on deliveries (org_id, sequence_id) where status in ('sending', 'queued');

    create table suppressions (
      org_id uuid not null references orgs (id),
      id uuid not null,
      channel text not null check (channel in ('email', 'sms', 'whatsapp', 'voice')),
      address text not null,
      reason text not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, channel, address)
    );
    create index suppressions_by_creation on suppressions (org_id, created_at, id);
  `.execute(db);
}
