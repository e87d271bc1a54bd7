import { type Kysely, sql } from 'kysely';

/** Orgs set their widget up, and visitors note what they have read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table widget_settings (
      org_id uuid primary key references orgs (id) on delete cascade,
      settings jsonb not null,
      updated_at timestamptz(3) not null default now()
    )
  `.execute(db);
  await sql`alter table widget_sessions add column read_seq integer`.execute(db);
}
