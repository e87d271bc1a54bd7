import { type Kysely, sql } from 'kysely';

/**
 * The AI's part of a session: whether it may speak, and one row per turn. A partial unique index allows a session one
 * turn at a time. `context_seq` is the last event before the conversation that the AI knows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column ai_state text not null default 'off' check (ai_state in ('on', 'off', 'paused')),
      add column ai_context_seq integer not null default 0;
    update sessions set ai_state = 'paused' where handoff is not null or assignee_id is not null;

    create table ai_turns (
      org_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      number integer not null,
      state text not null check (state in ('waiting', 'running', 'answered', 'asked', 'handed_off', 'skipped', 'superseded', 'canceled')),
      reason text,
      agent text,
      first_seq integer not null,
      last_seq integer not null,
      answers uuid[] not null,
      message_id uuid not null,
      has_message boolean not null default false,
      config_version integer not null,
      supersedes smallint not null default 0,
      tries smallint not null default 0,
      has_effects boolean not null default false,
      score double precision,
      due_at timestamptz(3) not null,
      started_at timestamptz(3),
      ended_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, session_id, number),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      check ((ended_at is null) = (state in ('waiting', 'running')))
    );
    create unique index ai_turns_not_ended on ai_turns (org_id, session_id) where ended_at is null;
    create index ai_turns_by_creation on ai_turns (org_id, created_at, id);
    create index ai_turns_by_state on ai_turns (org_id, state, created_at, id);

    create table ai_steps (
      org_id uuid not null,
      turn_id uuid not null,
      step smallint not null,
      purpose text not null check (purpose in ('gates', 'search', 'plan', 'answer')),
      model text,
      tries smallint not null default 1,
      usage jsonb,
      cost numeric,
      latency_ms integer not null,
      detail jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      primary key (org_id, turn_id, step),
      foreign key (org_id, turn_id) references ai_turns (org_id, id) on delete cascade
    );

    create table ai_claims (
      org_id uuid not null,
      turn_id uuid not null,
      position smallint not null,
      item_id uuid not null,
      chunk integer not null,
      url text,
      title text not null,
      heading text not null,
      quote text,
      start_offset integer not null,
      end_offset integer not null,
      hash text not null,
      primary key (org_id, turn_id, position),
      foreign key (org_id, turn_id) references ai_turns (org_id, id) on delete cascade
    );
    create index ai_claims_by_item on ai_claims (org_id, item_id, turn_id);

    create table ai_calibrations (
      org_id uuid primary key references orgs (id),
      threshold double precision,
      report jsonb,
      requested_at timestamptz(3) not null default now(),
      measured_at timestamptz(3)
    );

    create table ai_configs (
      org_id uuid primary key references orgs (id),
      draft jsonb not null,
      published jsonb not null,
      version integer not null,
      updated_at timestamptz(3) not null default now()
    );
  `.execute(db);
}
