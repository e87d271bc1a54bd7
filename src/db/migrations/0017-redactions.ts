import { type Kysely, sql } from 'kysely';

/** Who redacted what, when and why: never what it was. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table redactions (
      org_id uuid not null references orgs (id),
      id uuid not null,
      kind text not null check (kind in ('message', 'session')),
      session_id uuid not null,
      message_id uuid,
      reason text,
      api_key_id uuid not null,
      affected integer not null,
      created_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, session_id) references sessions (org_id, id)
    );
    create index redactions_by_session on redactions (org_id, session_id, created_at);
    create unique index media_by_key on media (key);
    create index media_to_delete on media (deleted_at) where deleted_at is not null;
  `.execute(db);
}
