import { type Kysely, sql } from 'kysely';

/** A thread in another system is a session. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session_threads (
      org_id uuid not null,
      channel text not null,
      thread text not null,
      session_id uuid not null,
      primary key (org_id, channel, thread),
      unique (org_id, session_id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
}
