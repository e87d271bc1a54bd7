import { type Kysely, sql } from 'kysely';

/** Where the AI answers by itself. A channel without a row is off. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table autopilot (
      org_id uuid not null references orgs (id),
      channel text not null,
      autopilot_enabled boolean not null,
      ai_agent_version text not null,
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, channel)
    );
  `.execute(db);
}
