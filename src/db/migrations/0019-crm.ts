import { type Kysely, sql } from 'kysely';

/**
 * What a CRM reports, and what goes to one. A batch is kept as it came; its events wait in the queue of their thread or ticket, each once by
 * its dedupe key for ever. `crm_links` says which session a thread and a ticket belong to: one ticket a session. `crm_messages` and
 * `crm_handoff_parts` are written before the CRM is called, so that a second try knows of the first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions add column relayed_side text check (relayed_side in ('customer', 'agents', 'both'));

    create table crm_batches (
      org_id uuid not null references orgs (id),
      id uuid not null,
      body bytea not null,
      events integer not null,
      unsupported integer not null,
      malformed integer not null,
      received_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    create index crm_batches_by_age on crm_batches (received_at);
    create index crm_batches_by_org on crm_batches (org_id, received_at, id);
    alter table crm_batches alter column body set storage external; -- it is compressed already

    create table crm_events (
      org_id uuid not null, -- that of its batch, where it is checked once and not for each of a hundred events
      dedupe_key text not null,
      id bigint not null generated always as identity,
      batch_id uuid not null,
      queue text not null,
      type text not null,
      object_id text not null,
      occurred_at timestamptz(3) not null,
      payload jsonb not null default '{}',
      state text not null default 'queued' check (state in ('queued', 'done', 'skipped', 'failed')),
      reason text,
      not_before timestamptz(3),
      created_at timestamptz(3) not null default now(),
      settled_at timestamptz(3),
      primary key (org_id, dedupe_key)
    );
    create index crm_events_queued on crm_events (org_id, queue, occurred_at, id) where state = 'queued';
    create index crm_events_waiting on crm_events (created_at, id) where state = 'queued';
    create index crm_events_by_batch on crm_events (org_id, batch_id);

    create index integrations_by_portal on integrations ((settings->>'portal_id')) where kind = 'crm';

    create index outbox_commands_by_org on outbox (org_id, id) where kind <> 'event';
    drop index outbox_commands;

    create table crm_links (
      org_id uuid not null,
      session_id uuid not null,
      thread_id text,
      contact_id text,
      ticket_id text,
      read_until timestamptz(3),
      property_times jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      primary key (org_id, session_id),
      unique (org_id, thread_id),
      unique (org_id, ticket_id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );

    create table crm_messages (
      org_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      external_id text,
      state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'skipped', 'failed')),
      attempts integer not null default 0,
      error text,
      first_tried_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      settled_at timestamptz(3),
      primary key (org_id, id),
      unique (org_id, external_id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
    create index crm_messages_to_send on crm_messages (org_id, session_id, id) where state in ('queued', 'sending');
    create index crm_messages_waiting on crm_messages (created_at) where state in ('queued', 'sending');

    create table crm_handoff_parts (
      org_id uuid not null,
      session_id uuid not null,
      part text not null,
      position smallint not null,
      state text not null default 'pending'
        check (state in ('pending', 'running', 'parked', 'done', 'skipped', 'failed', 'settled')),
      external_id text,
      error text,
      attempts integer not null default 0,
      is_ambiguous boolean not null default false,
      is_to_close boolean not null default false,
      first_tried_at timestamptz(3),
      last_tried_at timestamptz(3),
      next_try_at timestamptz(3),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, session_id, part),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
    create index crm_handoff_parts_parked on crm_handoff_parts (org_id, session_id) where state = 'parked';

    create table crm_tokens (
      org_id uuid not null references orgs (id),
      connection text not null,
      sealed text,
      expires_at timestamptz(3),
      primary key (org_id, connection)
    );

    create table crm_budgets (
      org_id uuid not null references orgs (id),
      kind text not null check (kind in ('request', 'search')),
      next_at timestamptz(3) not null,
      primary key (org_id, kind)
    );

    create table miaw_conversations (
      org_id uuid not null,
      session_id uuid not null,
      conversation_id uuid not null,
      sealed_token text,
      token_expires_at timestamptz(3),
      opened_at timestamptz(3),
      read_until timestamptz(3),
      created_at timestamptz(3) not null default now(),
      primary key (org_id, session_id),
      unique (org_id, conversation_id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
  `.execute(db);
}
