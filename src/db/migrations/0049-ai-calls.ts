import { type Kysely, sql } from 'kysely';

/**
 * The ledger of the AI's calls of actions, one row a call. A partial unique index allows the same call once in a
 * conversation, unless it surely did not happen.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table actions
      add column retry_safe boolean not null default false,
      add column requires_verified boolean not null default false,
      add column confirm text not null default 'auto' check (confirm in ('auto', 'always')),
      add column limits jsonb;

    create table ai_calls (
      org_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      turn_id uuid not null,
      epoch integer not null,
      contact_id uuid,
      action_id uuid not null,
      operation_id text not null,
      name text not null,
      arguments jsonb,
      fingerprint text not null,
      state text not null check (state in ('proposed', 'needs_confirmation', 'confirmed', 'rejected', 'expired', 'running', 'done', 'failed', 'unknown')),
      needs text check (needs in ('customer', 'agent')),
      needs_because text check (needs_because in ('form', 'always', 'untrusted', 'limits', 'rejected_before')),
      confirmed_by text check (confirmed_by in ('link', 'widget', 'message', 'agent')),
      decided_key_id uuid,
      token_hash text,
      expires_at timestamptz(3),
      is_repeatable boolean not null default false,
      tries smallint not null default 0,
      status integer,
      response jsonb,
      reason text,
      settled_key_id uuid,
      leased_until timestamptz(3),
      reported_at timestamptz(3),
      redacted_at timestamptz(3),
      decided_at timestamptz(3),
      started_at timestamptz(3),
      ended_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade,
      foreign key (org_id, turn_id) references ai_turns (org_id, id) on delete cascade,
      check ((state = 'needs_confirmation') <= (needs is not null and expires_at is not null)),
      check ((ended_at is not null) = (state in ('rejected', 'expired', 'done', 'failed', 'unknown')))
    );
    create unique index ai_calls_once on ai_calls (org_id, session_id, epoch, fingerprint)
      where state in ('proposed', 'needs_confirmation', 'confirmed', 'running', 'done', 'unknown');
    create index ai_calls_of_session on ai_calls (org_id, session_id, epoch, created_at);
    create index ai_calls_of_turn on ai_calls (org_id, turn_id);
    create index ai_calls_by_creation on ai_calls (org_id, created_at, id);
    create index ai_calls_by_state on ai_calls (org_id, state, created_at, id);
    create unique index ai_calls_by_token on ai_calls (org_id, token_hash) where token_hash is not null;
    create index ai_calls_to_expire on ai_calls (expires_at) where state = 'needs_confirmation';
  `.execute(db);
}
