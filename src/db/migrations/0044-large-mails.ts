import { type Kysely, sql } from 'kysely';

/**
 * Large e-mails are in parts: each statement of them is bounded. A part goes with the raw form of its e-mail, whatever
 * deletes that.
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
}
