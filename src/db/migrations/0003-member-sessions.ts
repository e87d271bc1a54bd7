import { type Kysely, sql } from 'kysely';

/** Members sign in to sessions with ids of their own, and keep settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table dashboard_sessions
      add column id uuid not null default gen_random_uuid(),
      add column link_hash bytea,
      add column created_at timestamptz(3) not null default now(),
      add unique (org_id, id)
  `.execute(db);
  await sql`alter table dashboard_sessions alter column id drop default`.execute(db);
  await sql`alter table members add column language text, add column settings jsonb not null default '{}'::jsonb`.execute(
    db,
  );
}
