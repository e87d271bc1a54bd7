import { type Kysely, sql } from 'kysely';

/** The ids by which WhatsApp names users who show no phone number, and their contacts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table whatsapp_users (
      org_id uuid not null,
      user_id text not null,
      contact_id uuid not null,
      seen_at timestamptz(3) not null default now(),
      primary key (org_id, user_id),
      foreign key (org_id, contact_id) references contacts (org_id, id) on delete cascade
    );
    create index whatsapp_users_by_contact on whatsapp_users (org_id, contact_id, seen_at)
  `.execute(db);
}
