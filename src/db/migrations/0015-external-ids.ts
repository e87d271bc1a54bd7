import { type Kysely, sql } from 'kysely';

/** Contacts have the id of another system, by which a synchronization finds them again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table contacts add column external_id text`.execute(db);
  await sql`
    create unique index contacts_external_id_key on contacts (org_id, external_id) where external_id is not null
  `.execute(db);
}
