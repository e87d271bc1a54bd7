import { type Kysely, sql } from 'kysely';

/** The comparison with Temporal goes through the rows in progress of all orgs, in order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index automation_runs_in_progress on automation_runs (org_id, id) where status = 'in_progress';
    create index sequences_active on sequences (org_id, id) where status = 'active' and deleted_at is null
  `.execute(db);
}
