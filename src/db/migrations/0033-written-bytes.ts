import { type Kysely, sql } from 'kysely';

/** Adds how much each org and each anonymous address wrote on a day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table written_bytes (
      writer text not null,
      day date not null,
      bytes bigint not null,
      primary key (writer, day)
    )
  `.execute(db);
  await sql`create index written_bytes_days on written_bytes (day)`.execute(db);
}
