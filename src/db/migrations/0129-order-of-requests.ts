import { type Kysely, sql } from 'kysely';

/**
 * Single messages to a contact go out in the order of their requests. Neither their ids nor their times have it: an id may
 * be the hash of another system's name, and all messages of one transaction have the same time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create sequence delivery_requests;
    alter table deliveries add column request_seq bigint;
  `.execute(db);
}
