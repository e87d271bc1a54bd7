import { type Kysely, sql } from 'kysely';

/** Mail to addresses of orgs opens and continues sessions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table email_inboxes (
      org_id uuid not null references orgs (id),
      id uuid not null,
      address text not null,
      display_name text,
      team_id uuid,
      signature text,
      is_default_sender boolean not null default false,
      is_hosted boolean not null default false,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, address),
      foreign key (org_id, team_id) references teams (org_id, id) on delete set null (team_id)
    )
  `.execute(db);
  await sql`create index email_inboxes_by_address on email_inboxes (address)`.execute(db);
  await sql`create unique index email_inboxes_hosted on email_inboxes (address) where is_hosted`.execute(db);
  await sql`create unique index email_inboxes_default on email_inboxes (org_id) where is_default_sender`.execute(db);
  await sql`create index email_inboxes_by_creation on email_inboxes (org_id, created_at, id)`.execute(db);
  await sql`
    create index email_inboxes_by_team on email_inboxes (org_id, team_id) where team_id is not null
  `.execute(db);
  await sql`
    alter table inbound_emails
      alter column delivery_id drop not null,
      drop constraint inbound_emails_kind_check,
      add constraint inbound_emails_kind_check check (kind in ('bounce', 'reply', 'inbox')),
      add column inbox_id uuid,
      add column client jsonb,
      add constraint inbound_emails_org_id_inbox_id_fkey foreign key (org_id, inbox_id)
        references email_inboxes (org_id, id) on delete set null (inbox_id)
  `.execute(db);
  await sql`
    create index inbound_emails_by_sender on inbound_emails (org_id, inbox_id, mail_from, received_at)
    where inbox_id is not null
  `.execute(db);
  await sql`
    alter table inbound_messages
      add column inbox_id uuid,
      add column email_id uuid,
      add column cc text[],
      add column html text,
      add constraint inbound_messages_org_id_inbox_id_fkey foreign key (org_id, inbox_id)
        references email_inboxes (org_id, id) on delete set null (inbox_id),
      add constraint inbound_messages_org_id_email_id_fkey foreign key (org_id, email_id)
        references inbound_emails (org_id, id)
  `.execute(db);
  await sql`
    create index inbound_messages_by_inbox on inbound_messages (org_id, inbox_id) where inbox_id is not null
  `.execute(db);
  await sql`
    create index inbound_messages_by_email on inbound_messages (org_id, email_id) where email_id is not null
  `.execute(db);
}
