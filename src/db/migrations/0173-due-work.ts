import { type Kysely, sql } from 'kysely';

/**
 * Work that a workflow is to do stands in the database until it is done, if no other row shows it. Assignments and
 * extractions that wait at the migration are among it. Vectors and SLA clocks requested just before are not known.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table due_work (
      id bigint generated always as identity primary key,
      org_id uuid not null,
      kind text not null check (kind in ('sla', 'assignment', 'embedding', 'insight-extraction')),
      subject_id uuid not null,
      number integer not null default 0,
      is_begun boolean not null default false
    );
    create index due_work_by_subject on due_work (kind, org_id, subject_id, number);
    create index integrations_unconfirmed on integrations (org_id, kind)
      where kind = 'crm' and account_id is null and settings->>'portal_id' is not null and settings ? 'oauth';
  `.execute(db);
  await addWaitingWork(db);
}

/** Adds what waits as the tables of the work itself show it. */
export async function addWaitingWork(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into due_work (org_id, kind, subject_id)
    select distinct org_id, 'assignment', org_id from sessions
    where status = 'open' and assignee_id is null and team_id is not null and queued_at is not null
  `.execute(db);
  await sql`
    insert into due_work (org_id, kind, subject_id, number)
    select orgs.id, 'insight-extraction', waiting.session_id, max(extraction.number)
    from orgs cross join lateral (
      select distinct session_id from insight_statements as statement where statement.org_id = orgs.id and insight_id is null
    ) as waiting
    join insight_extractions as extraction
      on extraction.org_id = orgs.id and extraction.session_id = waiting.session_id and extraction.statements > 0
    group by orgs.id, waiting.session_id
  `.execute(db);
}
