import { type Kysely, sql } from 'kysely';

/**
 * Customers' workflows. An edit makes a new version; versions never change, so that a run stays on the one it started with. What a run's steps
 * took and gave stands in automation_steps, by their place in the run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table automations (
      org_id uuid not null references orgs (id),
      id uuid not null,
      webhook_token text not null,
      active_version bigint,
      constraint_errors integer not null default 0,
      last_constraint_error text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    create unique index automations_by_id on automations (id);
    create index automations_in_order on automations (org_id, created_at, id);

    create table automation_versions (
      org_id uuid not null,
      id bigint not null generated always as identity,
      automation_id uuid not null,
      version_number integer not null,
      name text not null,
      description text,
      trigger_type text not null,
      trigger_configuration jsonb,
      trigger_constraints jsonb,
      workflow_blocks jsonb not null,
      workflow_editor_state jsonb,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, automation_id, version_number),
      unique (org_id, automation_id, id),
      foreign key (org_id, automation_id) references automations (org_id, id) on delete cascade
    );
    alter table automations add foreign key (org_id, id, active_version) references automation_versions (org_id, automation_id, id)
      deferrable initially deferred;
    create index automations_active on automations (org_id, active_version) where active_version is not null;

    create table automation_runs (
      org_id uuid not null,
      id uuid not null,
      automation_id uuid not null,
      version_id bigint not null,
      status text not null default 'idle' check (status in ('idle', 'in_progress', 'completed', 'failed', 'canceled')),
      trigger_cause text not null check (trigger_cause in ('manual', 'automatic', 'scheduled')),
      trigger_key text not null,
      trigger_output jsonb not null,
      depth integer not null default 0,
      is_test_run boolean not null default false,
      is_waiting boolean not null default false,
      error text,
      created_at timestamptz(3) not null default now(),
      run_started_at timestamptz(3),
      run_ended_at timestamptz(3),
      primary key (org_id, id),
      unique (org_id, automation_id, trigger_key),
      foreign key (org_id, automation_id) references automations (org_id, id) on delete cascade,
      foreign key (org_id, automation_id, version_id) references automation_versions (org_id, automation_id, id) on delete cascade
    );
    create index automation_runs_in_order on automation_runs (org_id, automation_id, created_at, id);
    create index automation_runs_idle on automation_runs (org_id, created_at, id) where status = 'idle';
    create index automation_runs_busy on automation_runs (org_id) where status = 'in_progress' and not is_waiting;

    create table automation_steps (
      org_id uuid not null,
      run_id uuid not null,
      place text not null,
      step_id text not null,
      type text not null,
      name text,
      status text not null check (status in ('in_progress', 'waiting', 'completed', 'failed', 'skipped')),
      input jsonb,
      changed_input jsonb,
      output jsonb,
      error text,
      attempts integer not null default 0,
      started_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, run_id, place),
      foreign key (org_id, run_id) references automation_runs (org_id, id) on delete cascade
    );

    create table automation_listeners (
      org_id uuid not null,
      run_id uuid not null,
      trigger_type text not null,
      primary key (org_id, run_id, trigger_type),
      foreign key (org_id, run_id) references automation_runs (org_id, id) on delete cascade
    );
    create index automation_listeners_by_type on automation_listeners (org_id, trigger_type);

    create table automation_heard (
      org_id uuid not null,
      run_id uuid not null,
      event_id text not null,
      trigger_type text not null,
      output jsonb not null,
      is_taken boolean not null default false,
      heard_at timestamptz(3) not null default now(),
      primary key (org_id, run_id, event_id),
      foreign key (org_id, run_id) references automation_runs (org_id, id) on delete cascade
    );

    alter table outbox
      alter column causation set default nullif(current_setting('switchboard.causation', true), ''),
      alter column depth set default coalesce(nullif(current_setting('switchboard.depth', true), '')::integer, 0);

    create table automation_silences (
      org_id uuid not null,
      automation_id uuid not null,
      minutes integer not null,
      silent_since timestamptz(3) not null,
      session_id uuid not null,
      primary key (org_id, automation_id),
      foreign key (org_id, automation_id) references automations (org_id, id) on delete cascade
    );
    create index sessions_by_silence on sessions (org_id, coalesce(last_message_at, created_at), id) where status = 'open';
    create index automation_runs_scheduled on automation_runs (org_id, automation_id)
      where trigger_cause = 'scheduled' and status in ('idle', 'in_progress');
  `.execute(db);
}
