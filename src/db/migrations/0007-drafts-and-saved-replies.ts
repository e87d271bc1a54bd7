import { type Kysely, sql } from 'kysely';

/** Members keep drafts in sessions, and teams keep replies to use again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table drafts (
      org_id uuid not null,
      user_id bigint not null,
      session_id uuid not null,
      kind text not null check (kind in ('reply', 'note')),
      text text not null,
      media_ids uuid[] not null,
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, user_id, session_id),
      foreign key (org_id, user_id) references members (org_id, user_id) on delete cascade,
      foreign key (org_id, session_id) references sessions (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`create index drafts_by_session on drafts (org_id, session_id)`.execute(db);
  await sql`create index drafts_by_update on drafts (org_id, user_id, updated_at, session_id)`.execute(db);
  await sql`
    create table saved_replies (
      org_id uuid not null references orgs (id),
      id uuid not null,
      shortcut text not null,
      title text not null,
      text text not null,
      media_ids uuid[] not null,
      language text,
      team_id uuid,
      actions jsonb,
      uses integer not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (org_id, id),
      foreign key (org_id, team_id) references teams (org_id, id) on delete set null (team_id)
    )
  `.execute(db);
  await sql`create unique index saved_replies_by_shortcut on saved_replies (org_id, lower(shortcut))`.execute(db);
  await sql`create index saved_replies_by_creation on saved_replies (org_id, created_at, id)`.execute(db);
  await sql`create index saved_replies_by_team on saved_replies (org_id, team_id) where team_id is not null`.execute(
    db,
  );
}
