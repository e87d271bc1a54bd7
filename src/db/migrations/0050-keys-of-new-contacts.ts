import { type Kysely, sql } from 'kysely';

/** SQL: a new contact with something that identified a merged one. The limit has each looked up by its index. A restore has no search path. */
const taken = (column: string) => sql`
  select from added cross join lateral (
    select from public.contact_merges as merge
    where merge.org_id = added.org_id and merge.${sql.ref(column)} = added.${sql.ref(column)} and merge.contact_id <> added.id
    limit 1
  ) as taken`;

/**
 * What identifies new contacts is compared with merged ones once a statement, and not once a row: an import inserts hundreds
 * by one. An org without merges has nothing to compare. Replaced in place, a trigger does not wait for readers of its table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function refuse_merged_keys_of_new() returns trigger language plpgsql as $$
    begin
      if exists (select from public.contact_merges where org_id = any(array(select distinct org_id from added))) and exists (
        ${taken('email')} union all ${taken('phone_number')} union all ${taken('external_id')}
      ) then
        raise exception 'what identifies the contact is that of a merged one'
          using errcode = 'unique_violation', constraint = 'contacts_merged_key';
      end if;
      return null;
    end $$
  `.execute(db);
  await sql`
    create or replace trigger merged_keys_of_new after insert on contacts referencing new table as added
    for each statement execute function refuse_merged_keys_of_new()
  `.execute(db);
}
