import { type Kysely, sql } from 'kysely';

/** SQL: a new contact with something that identified a merged one. The limit has each looked up by its index. A restore has no search path. */
const taken = (column: string) => sql`
  select from added cross join lateral (
    select from public.contact_merges as merge
    where merge.org_id = added.org_id and merge.${sql.ref(column)} = added.${sql.ref(column)} and merge.contact_id <> added.id
    limit 1
  ) as taken`;

/**
 * New contacts of an org without merges are not compared: Postgres prepares both sides of an `and` before it looks at the
 * first, which took as long as half of an insert.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function refuse_merged_keys_of_new() returns trigger language plpgsql as $$
    begin
      if exists (select from public.contact_merges where org_id = any(array(select distinct org_id from added))) then
        if exists (${taken('email')} union all ${taken('phone_number')} union all ${taken('external_id')}) then
          raise exception 'what identifies the contact is that of a merged one'
            using errcode = 'unique_violation', constraint = 'contacts_merged_key';
        end if;
      end if;
      return null;
    end $$
  `.execute(db);
}
