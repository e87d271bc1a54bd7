import { type Kysely, sql } from 'kysely';

/** A send under way when its contact is deleted must not be tried again, and no longer names the contact. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries add column contact_deleted boolean not null default false`.execute(db);
}
