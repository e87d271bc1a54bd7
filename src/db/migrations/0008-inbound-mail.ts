import { type Kysely, sql } from 'kysely';

/** Mail that came in for a delivery: bounces and replies. `raw` is kept for some time only. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table inbound_emails (
      org_id uuid not null references orgs (id),
      id uuid not null,
      kind text not null check (kind in ('bounce', 'reply')),
      delivery_id uuid not null,
      mail_from text not null,
      rcpt_to text not null,
      sha256 bytea not null,
      raw bytea,
      received_at timestamptz(3) not null default now(),
      processed_at timestamptz(3),
      result text,
      primary key (org_id, id),
      unique (org_id, sha256),
      foreign key (org_id, delivery_id) references deliveries (org_id, id)
    );
    create index inbound_emails_by_delivery on inbound_emails (org_id, delivery_id);
    create index inbound_emails_with_raw on inbound_emails (received_at) where raw is not null;
  `.execute(db);
}
