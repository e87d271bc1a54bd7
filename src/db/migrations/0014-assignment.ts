import { type Kysely, sql } from 'kysely';

/**
 * A session that came to a team keeps its place in the team's queue while somebody has it, so that it waits there again once a member who
 * is removed leaves it behind. The one of a team who was given a session last has the highest turn.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table team_members add column turn bigint not null default 0;

    alter table sessions add column queued_at timestamptz;
    create index sessions_waiting on sessions (org_id, team_id, queued_at, id)
      where status = 'open' and assignee_id is null and team_id is not null and queued_at is not null;
  `.execute(db);
}
