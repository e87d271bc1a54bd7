import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table partners (
      id uuid primary key,
      name text not null,
      is_active boolean not null default true,
      allowed_ips text[] not null default '{}',
      ai_instructions text,
      created_at timestamptz(3) not null default now()
    );

    create table partner_api_keys (
      partner_id uuid not null references partners (id),
      id uuid not null unique,
      name text not null,
      created_at timestamptz(3) not null default now(),
      revoked_at timestamptz(3),
      primary key (partner_id, id)
    );

    create table orgs (
      id uuid primary key,
      partner_id uuid not null references partners (id),
      external_id text,
      name text not null,
      website text,
      language text not null default 'en',
      ai_instructions text,
      widget_token text not null unique,
      settings jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      constraint orgs_external_id_key unique (partner_id, external_id)
    );
    create index orgs_by_partner on orgs (partner_id, created_at, id);

    create table org_api_keys (
      org_id uuid not null references orgs (id),
      id uuid not null unique,
      name text not null,
      scopes text[],
      created_at timestamptz(3) not null default now(),
      revoked_at timestamptz(3),
      primary key (org_id, id)
    );
    create index org_api_keys_by_age on org_api_keys (org_id, created_at, id);

    create table roles (
      org_id uuid not null references orgs (id),
      id uuid not null,
      name text not null,
      primary key (org_id, id),
      unique (org_id, name)
    );

    create table users (
      id bigint generated always as identity primary key,
      email text not null unique,
      created_at timestamptz(3) not null default now()
    );

    create table members (
      org_id uuid not null references orgs (id),
      user_id bigint not null references users (id),
      name text not null,
      is_available boolean not null default true,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, user_id)
    );

    create table member_roles (
      org_id uuid not null,
      user_id bigint not null,
      role_id uuid not null,
      primary key (org_id, user_id, role_id),
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade,
      foreign key (org_id, role_id) references roles (org_id, id)
    );

    create table login_links (
      token_hash bytea primary key,
      org_id uuid not null,
      user_id bigint not null,
      expires_at timestamptz(3) not null,
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
    );
    create index login_links_by_member on login_links (org_id, user_id);
    create index login_links_by_expiry on login_links (expires_at);

    create table dashboard_sessions (
      token_hash bytea primary key,
      org_id uuid not null,
      user_id bigint not null,
      expires_at timestamptz(3) not null,
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade
    );
    create index dashboard_sessions_by_member on dashboard_sessions (org_id, user_id);
    create index dashboard_sessions_by_expiry on dashboard_sessions (expires_at);

    create table integrations (
      org_id uuid not null references orgs (id),
      kind text not null,
      name text not null default 'Default',
      provider text not null,
      settings jsonb not null default '{}',
      secrets text,
      connected boolean,
      last_error text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, kind, name)
    );

    create table idempotency_keys (
      principal_id uuid not null,
      key text not null,
      request_hash bytea not null,
      status_code smallint not null,
      answer text not null,
      created_at timestamptz(3) not null default now(),
      primary key (principal_id, key)
    );
    create index idempotency_keys_by_age on idempotency_keys (created_at);

    create unlogged table rate_limits (
      key text primary key,
      points integer not null default 0,
      expire bigint
    );

    create table outbox (
      id bigint generated always as identity primary key,
      org_id uuid not null,
      kind text not null check (kind in ('event', 'start', 'signal')),
      type text not null,
      subject_id uuid not null,
      workflow_id text,
      task_queue text,
      signal text,
      summary text,
      payload jsonb not null,
      causation text,
      depth integer not null default 0,
      attempts integer not null default 0,
      last_error text,
      available_at timestamptz(3) not null default now(),
      created_at timestamptz(3) not null default now(),
      check (kind = 'event' or (workflow_id is not null and task_queue is not null)),
      check (kind <> 'signal' or signal is not null)
    );
    create index outbox_events on outbox (id) where kind = 'event';
    create index outbox_events_by_org on outbox (org_id, id) where kind = 'event';
    create index outbox_commands on outbox (id) where kind <> 'event';
    create index outbox_by_workflow on outbox (workflow_id, id) where workflow_id is not null;
  `.execute(db);
}
