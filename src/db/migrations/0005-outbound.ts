import { type Kysely, sql } from 'kysely';

/**
 * Sends on every channel. `lease` stands as long as an attempt is open, even where a status callback was faster than the provider's
 * answer. `answers` holds what the provider said to each attempt, oldest first. `may_have_gone`: an attempt ended in the middle, and it waits to
 * go again under the same Message-ID.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deliveries
      add column request_key text,
      add column sender text,
      add column gate text,
      add column began_at timestamptz(3),
      add column answers jsonb not null default '[]',
      add column lookups integer not null default 0,
      add column look_up_at timestamptz(3),
      add column may_have_gone boolean not null default false;
    create unique index deliveries_by_request on deliveries (org_id, request_key);
    update deliveries set lease = null where status <> 'sending';
    drop index deliveries_unsettled;
    create index deliveries_under_way on deliveries (org_id, sequence_id) where lease is not null;
    create index deliveries_waiting on deliveries (org_id, sequence_id, id) where status in ('queued', 'held');
    create index deliveries_orphaned on deliveries (org_id)
      where status in ('queued', 'held') and sequence_id is not null and enrollment_id is null;
    create index deliveries_of_contact_by_day on deliveries (org_id, contact_id, began_at)
      where sequence_id is not null and began_at is not null;
    create index deliveries_by_provider_id on deliveries (org_id, provider, provider_id) where provider_id is not null;
    create index deliveries_to_look_up on deliveries (org_id, look_up_at) where look_up_at is not null;

    alter table sequences
      add column gates jsonb not null default '{}',
      add column changes_to_apply integer not null default 1,
      add column has_stale_turns boolean not null default false;
    alter table enrollments
      add column exit_reason text,
      drop constraint enrollments_status_check,
      add constraint enrollments_status_check check (status in ('active', 'complete', 'canceled', 'exited'));

    create table sender_rates (
      org_id uuid not null references orgs (id),
      sender text not null,
      slot_at timestamptz(3) not null,
      used integer not null,
      primary key (org_id, sender)
    );

    create table delivery_callbacks (
      org_id uuid not null references orgs (id),
      provider text not null,
      provider_id text not null,
      status text not null,
      delivery_id uuid,
      reason text,
      received_at timestamptz(3) not null default now(),
      primary key (org_id, provider, provider_id, status),
      foreign key (org_id, delivery_id) references deliveries (org_id, id)
    );
    create index delivery_callbacks_by_delivery on delivery_callbacks (org_id, delivery_id) where delivery_id is not null;

    create table inbound_messages (
      org_id uuid not null references orgs (id),
      id uuid not null,
      channel text not null check (channel in ('email', 'sms', 'whatsapp', 'voice')),
      provider text not null,
      provider_id text not null,
      "from" text not null,
      "to" text not null,
      body text not null,
      contact_id uuid,
      delivery_id uuid,
      is_reply boolean not null default true,
      received_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, provider, provider_id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete set null (contact_id),
      foreign key (org_id, delivery_id) references deliveries (org_id, id)
    );
    create index inbound_messages_by_contact on inbound_messages (org_id, contact_id, received_at) where contact_id is not null;

    create table sandbox_outbox (
      org_id uuid not null references orgs (id),
      id uuid not null,
      channel text not null,
      "to" text not null,
      payload jsonb not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id)
    );
    create index sandbox_outbox_by_creation on sandbox_outbox (org_id, created_at, id);
  `.execute(db);
}
