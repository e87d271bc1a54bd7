import { type Kysely, sql } from 'kysely';

/** An e-mail that takes too long to read is read again, a few times. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table inbound_emails add column timeouts smallint not null default 0`.execute(db);
}
