import { type Kysely, sql } from 'kysely';

/**
 * A ticket that is to be closed or opened says so until it is done: a workflow that waits for that can be started again.
 * A change that waited before the migration is not known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table crm_due_stages (
      org_id uuid not null references orgs (id),
      session_id uuid not null,
      stage text not null check (stage in ('closed', 'open')),
      due_since timestamptz(3) not null default now(),
      primary key (org_id, session_id)
    )
  `.execute(db);
}
