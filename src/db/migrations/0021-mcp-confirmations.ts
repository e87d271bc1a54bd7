import { type Kysely, sql } from 'kysely';

/** Calls of tools by people's assistants wait for a person of the org. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mcp_confirmations (
      org_id uuid not null references orgs (id),
      id uuid not null,
      key_id uuid not null,
      key_name text not null,
      tool text not null,
      arguments jsonb not null,
      session_id uuid,
      state text not null check (state in ('needs_confirmation', 'running', 'done', 'failed', 'rejected')),
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3) not null,
      decided_by text,
      decided_at timestamptz(3),
      answer_status smallint,
      answer jsonb,
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index mcp_confirmations_by_creation on mcp_confirmations (org_id, created_at, id)`.execute(db);
  await sql`
    create index mcp_confirmations_by_session on mcp_confirmations (org_id, session_id) where session_id is not null
  `.execute(db);
  await sql`create index mcp_confirmations_by_age on mcp_confirmations (created_at)`.execute(db);
}
