import { type Kysely, sql } from 'kysely';

/** Customers on e-mail, SMS and WhatsApp get a link to a survey, once a resolution. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table csat_surveys (
      org_id uuid not null,
      id uuid not null,
      session_id uuid not null,
      resolution integer not null,
      state text not null default 'pending' check (state in ('pending', 'requested', 'skipped')),
      due_at timestamptz(3) not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      unique (org_id, session_id, resolution),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index csat_surveys_pending on csat_surveys (org_id, id) where state = 'pending'`.execute(db);
}
