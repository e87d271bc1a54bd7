import { type Kysely, sql } from 'kysely';

/**
 * When the clocks of a session are to be evaluated next. A time long past means that the workflow that watches them is
 * lost. Sessions that have not been evaluated yet are due at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table session_slas add column next_at timestamptz(3) default now();
    create index session_slas_open on session_slas (org_id, session_id) where not is_over;
  `.execute(db);
}
