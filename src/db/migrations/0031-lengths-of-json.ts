import { type Kysely, sql } from 'kysely';

/** Lists are cut by the lengths of what they hold, which are stored: to measure large JSON it would have to be read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table automation_versions add column characters integer not null generated always as
      (length(workflow_blocks::text) + coalesce(length(workflow_editor_state::text), 0)) stored;
    alter table automation_steps add column characters integer not null generated always as
      (coalesce(length(input::text), 0) + coalesce(length(output::text), 0)) stored;
  `.execute(db);
}
