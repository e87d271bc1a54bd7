import { type Kysely, sql } from 'kysely';

/** Contacts come in by CSV files, each imported by a job. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table contact_imports (
      org_id uuid not null references orgs (id),
      id uuid not null,
      key text check (key in ('external_id', 'email', 'phone')),
      does_update boolean not null,
      columns text[] not null,
      delimiter text not null,
      storage_key text not null,
      size bigint not null,
      state text not null default 'running' check (state in ('running', 'completed')),
      position bigint not null default 0,
      lines integer not null default 0,
      created integer not null default 0,
      updated integer not null default 0,
      skipped integer not null default 0,
      refused integer not null default 0,
      created_at timestamptz(3) not null default now(),
      ended_at timestamptz(3),
      primary key (org_id, id)
    )
  `.execute(db);
  await sql`create index contact_imports_running on contact_imports (org_id, id) where state = 'running'`.execute(db);
  await sql`create index contact_imports_ended on contact_imports (ended_at) where ended_at is not null`.execute(db);
  await sql`
    create table contact_import_refusals (
      org_id uuid not null,
      import_id uuid not null,
      line integer not null,
      reason text not null,
      record text[] not null,
      primary key (org_id, import_id, line),
      foreign key (org_id, import_id) references contact_imports (org_id, id) on delete cascade
    )
  `.execute(db);
}
