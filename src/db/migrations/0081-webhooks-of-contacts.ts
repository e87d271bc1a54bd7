import { type Kysely, sql } from 'kysely';

/** Stored webhooks lose a contact's fields when it is deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index webhook_deliveries_of_contact
      on webhook_deliveries (org_id, (coalesce(data -> 'contact' ->> 'id', data -> 'delivery' ->> 'contact_id')))
      where coalesce(data -> 'contact' ->> 'id', data -> 'delivery' ->> 'contact_id') is not null
  `.execute(db);
}
