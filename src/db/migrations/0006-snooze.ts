import { type Kysely, sql } from 'kysely';

/** Sessions can be snoozed until a time, until the contact replies, or both. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column snoozed_at timestamptz(3),
      add column snoozed_until timestamptz(3),
      add constraint sessions_snooze_check check (snoozed_until is null or snoozed_at is not null)
  `.execute(db);
  await sql`create index sessions_snoozed on sessions (org_id, id) where snoozed_until is not null`.execute(db);
}
