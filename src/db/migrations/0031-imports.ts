import { type Kysely, sql } from 'kysely';

/**
 * Records of other desks come in by files, each imported by a job. What was imported is known by its id there, also once it
 * is deleted here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table imports (
      org_id uuid not null references orgs (id),
      id uuid not null,
      source text not null check (source in ('chatwoot', 'zendesk', 'hubspot')),
      resource text not null check (resource in ('contacts', 'conversations', 'help_center')),
      account text not null,
      columns text[],
      delimiter text,
      storage_key text not null,
      size bigint not null,
      actor jsonb not null,
      state text not null default 'running' check (state in ('running', 'completed', 'failed', 'canceled')),
      position bigint not null default 0,
      lines integer not null default 0,
      records integer not null default 0,
      created integer not null default 0,
      updated integer not null default 0,
      unchanged integer not null default 0,
      left_out integer not null default 0,
      incomplete integer not null default 0,
      reason text,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, id)
    )
  `.execute(db);
  await sql`create index imports_running on imports (org_id, id) where state = 'running'`.execute(db);
  await sql`create index imports_ended on imports (ended_at) where ended_at is not null`.execute(db);
  await sql`
    create table import_findings (
      org_id uuid not null,
      import_id uuid not null,
      record integer not null,
      nth integer not null,
      external_id text,
      is_left_out boolean not null,
      code text not null,
      reason text not null,
      primary key (org_id, import_id, record, nth),
      foreign key (org_id, import_id) references imports (org_id, id) on delete cascade
    )
  `.execute(db);
  await sql`
    create table imported_records (
      org_id uuid not null references orgs (id),
      source text not null,
      kind text not null check (kind in ('contact', 'agent', 'session', 'article')),
      external_id text not null,
      id uuid,
      data jsonb not null default '{}',
      primary key (org_id, source, kind, external_id)
    )
  `.execute(db);
}
