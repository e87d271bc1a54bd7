import { type Kysely, sql } from 'kysely';

/**
 * Nothing that identified a merged contact becomes another contact's. A statement that waits for the end of a merge still
 * sees the merges as they were at its beginning, but what a trigger looks for is as it is by then.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_merged_keys() returns trigger language plpgsql as $$
    begin
      if exists (
        select from contact_merges where org_id = new.org_id and email = new.email and contact_id <> new.id
        union all
        select from contact_merges where org_id = new.org_id and phone_number = new.phone_number and contact_id <> new.id
        union all
        select from contact_merges where org_id = new.org_id and external_id = new.external_id and contact_id <> new.id
      ) then
        raise exception 'what identifies the contact is that of a merged one'
          using errcode = 'unique_violation', constraint = 'contacts_merged_key';
      end if;
      return null;
    end $$
  `.execute(db);
  await sql`
    create trigger merged_keys_of_new after insert on contacts for each row
    when (new.email is not null or new.phone_number is not null or new.external_id is not null)
    execute function refuse_merged_keys()
  `.execute(db);
  await sql`
    create trigger merged_keys_of_changed after update on contacts for each row
    when (new.email is distinct from old.email or new.phone_number is distinct from old.phone_number
      or new.external_id is distinct from old.external_id)
    execute function refuse_merged_keys()
  `.execute(db);
}
