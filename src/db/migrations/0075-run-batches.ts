import { type Kysely, sql } from 'kysely';

/** Short runs under a backlog are done in batches. A run leaves its batch when it goes on in a workflow of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table automation_runs
      add column batch_id uuid,
      add column left_batch boolean not null default false;
    drop index automation_runs_busy;
    create index automation_runs_active on automation_runs (org_id)
      where status = 'in_progress' and not is_waiting and (batch_id is null or left_batch);
    create index automation_runs_in_batch on automation_runs (org_id, batch_id, created_at, id)
      where status = 'in_progress' and batch_id is not null and not left_batch;
  `.execute(db);
}
