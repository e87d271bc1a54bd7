import { type Kysely, sql } from 'kysely';

/**
 * Calls of models: each is reserved before it is sent, and settled after. `ai_usage` has their sums by day, so that
 * budgets and reports need not read them all. Steps of turns keep what a model decided.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table ai_model_calls (
      org_id uuid not null references orgs (id),
      id uuid not null,
      session_id uuid,
      turn_id uuid,
      purpose text not null,
      model text not null,
      reserved_tokens integer not null,
      reserved_cost numeric not null,
      input integer,
      output integer,
      cached integer,
      is_estimated boolean,
      cost numeric,
      problem text,
      request_id text,
      latency_ms integer,
      created_at timestamptz(3) not null default now(),
      settled_at timestamptz(3),
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete set null (session_id),
      check ((settled_at is null) = (input is null))
    );
    create index ai_model_calls_open on ai_model_calls (created_at) where settled_at is null;
    create index ai_model_calls_open_by_org on ai_model_calls (org_id, created_at) where settled_at is null;
    create index ai_model_calls_by_session on ai_model_calls (org_id, session_id) where session_id is not null;
    create index ai_model_calls_by_turn on ai_model_calls (org_id, turn_id) where turn_id is not null;
    create index ai_model_calls_by_age on ai_model_calls (settled_at);

    create table ai_usage (
      org_id uuid not null references orgs (id),
      day date not null,
      model text not null,
      purpose text not null,
      calls integer not null,
      failed_calls integer not null,
      estimated_calls integer not null,
      input bigint not null,
      output bigint not null,
      cached bigint not null,
      cost numeric not null,
      primary key (org_id, day, model, purpose)
    );

    alter table ai_steps add column decision jsonb;
    alter table ai_steps drop constraint ai_steps_purpose_check;
    alter table ai_steps add check (purpose in ('gates', 'search', 'plan', 'call', 'answer'));
  `.execute(db);
}
