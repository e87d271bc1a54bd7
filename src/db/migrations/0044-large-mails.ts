import { type Kysely, sql } from 'kysely';

/**
 * Large e-mails are in parts: each statement of them is bounded. A part goes with the raw form of its e-mail, whatever
 * deletes that. Phone calls are remembered until their end is known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table inbound_email_parts (
      org_id uuid not null,
      email_id uuid not null,
      position integer not null,
      bytes bytea not null,
      primary key (org_id, email_id, position),
      foreign key (org_id, email_id) references inbound_emails (org_id, id) on delete cascade
    )
  `.execute(db);
  // Files in e-mails are compressed already, and written in Base64.
  await sql`alter table inbound_email_parts alter column bytes set storage external`.execute(db);
  await sql`
    create function delete_inbound_email_parts() returns trigger language plpgsql as $$
    begin
      delete from inbound_email_parts where org_id = new.org_id and email_id = new.id;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger inbound_email_parts after update of raw on inbound_emails
    for each row when (old.raw is not null and new.raw is null) execute function delete_inbound_email_parts()
  `.execute(db);
  await sql`
    create table phone_calls_under_way (
      org_id uuid not null references orgs (id),
      id uuid not null,
      provider_id text not null,
      begun_at timestamptz(3) not null default now(),
      check_at timestamptz(3) not null default now() + interval '15 minutes',
      primary key (org_id, id)
    )
  `.execute(db);
  await sql`create index phone_calls_under_way_to_check on phone_calls_under_way (check_at)`.execute(db);
}
