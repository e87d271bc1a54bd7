import { type Kysely, sql } from 'kysely';

/**
 * Outbound webhooks: endpoints, one delivery per endpoint and event, and every try of it. `event_subscriptions` says
 * which types of events somebody waits for, and has_subscribers reads it so that no subscription is missed: it waits for a change
 * of them, and reads with a snapshot of its own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table event_subscriptions (
      org_id uuid not null references orgs (id) on delete cascade,
      type text not null,
      primary key (org_id, type)
    );

    create function has_subscribers(org uuid, event_type text) returns boolean language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended('subscriptions ' || org, 0));
        return exists (select from event_subscriptions where org_id = org and type = event_type);
      end $$;

    create table webhook_endpoints (
      org_id uuid not null references orgs (id),
      id uuid not null,
      url text not null,
      description text,
      event_types text[] not null,
      payload text not null check (payload in ('full', 'thin')),
      ordered boolean not null,
      max_per_second integer check (max_per_second > 0),
      header_names text[] not null,
      headers text,
      secret text not null,
      old_secret text,
      old_secret_until timestamptz(3),
      enabled boolean not null,
      disabled_because text check (disabled_because in ('by_hand', 'gone', 'failing')),
      disabled_at timestamptz(3),
      failures integer not null default 0,
      failing_since timestamptz(3),
      probe_at timestamptz(3),
      next_slot_at timestamptz(3),
      is_sending boolean not null default false,
      deleted_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      check (enabled = (disabled_because is null) and enabled = (disabled_at is null)),
      check ((old_secret is null) = (old_secret_until is null))
    );
    create index webhook_endpoints_by_creation on webhook_endpoints (org_id, created_at, id) where deleted_at is null;
    create index webhook_endpoints_deleted on webhook_endpoints (deleted_at) where deleted_at is not null;

    create table webhook_sequences (
      org_id uuid not null,
      endpoint_id uuid not null,
      session_id uuid not null,
      last integer not null,
      primary key (org_id, endpoint_id, session_id),
      foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade,
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    );
    create index webhook_sequences_by_session on webhook_sequences (org_id, session_id);

    create table webhook_deliveries (
      org_id uuid not null,
      id uuid not null,
      endpoint_id uuid not null,
      event_id uuid not null,
      event_type text not null,
      occurred_at timestamptz(3) not null,
      session_id uuid,
      sequence integer,
      data jsonb not null,
      status text not null check (status in ('pending', 'retrying', 'delivered', 'failed', 'held')),
      attempts integer not null default 0,
      round_attempts integer not null default 0,
      next_attempt_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, endpoint_id, event_id),
      foreign key (org_id, endpoint_id) references webhook_endpoints (org_id, id) on delete cascade,
      check ((status = 'retrying') = (next_attempt_at is not null))
    );
    create index webhook_deliveries_pending on webhook_deliveries (org_id, endpoint_id, id) where status = 'pending';
    create index webhook_deliveries_open on webhook_deliveries (org_id, endpoint_id, session_id, sequence)
      where status in ('pending', 'retrying');
    create index webhook_deliveries_by_creation on webhook_deliveries (org_id, endpoint_id, created_at, id);
    create index webhook_deliveries_by_status on webhook_deliveries (org_id, endpoint_id, status, occurred_at);
    create index webhook_deliveries_by_session on webhook_deliveries (org_id, session_id) where session_id is not null;
    create index webhook_deliveries_by_insight on webhook_deliveries (org_id, (data -> 'insight' ->> 'id')) where event_type like 'insight.%';
    create index webhook_deliveries_by_age on webhook_deliveries (created_at) where status in ('delivered', 'failed', 'held');

    create table webhook_attempts (
      org_id uuid not null,
      delivery_id uuid not null,
      number integer not null,
      at timestamptz(3) not null,
      status integer,
      duration_ms integer not null,
      answer text,
      error text,
      next_attempt_at timestamptz(3),
      primary key (org_id, delivery_id, number),
      foreign key (org_id, delivery_id) references webhook_deliveries (org_id, id) on delete cascade
    );
  `.execute(db);
}
