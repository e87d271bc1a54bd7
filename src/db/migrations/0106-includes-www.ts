import { type Kysely, sql } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table datasources rename column takes_www to includes_www`.execute(db);
}
