import { type Kysely, sql } from 'kysely';

/** The operator can pause all sending, such as after a restore. The table has a row while it is paused. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sending_pause (
      is_only_row boolean primary key default true check (is_only_row),
      reason text,
      paused_at timestamptz(3) not null default now()
    )
  `.execute(db);
}
