import { type Kysely, sql } from 'kysely';

/** Files by the key that their bytes have in storage. A row marked as deleted waits for its bytes to be deleted, and then goes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table media (
      org_id uuid not null references orgs (id),
      id uuid not null,
      key text not null,
      file_name text not null,
      mime_type text not null,
      size integer not null check (size > 0),
      created_at timestamptz(3) not null default now(),
      deleted_at timestamptz(3),
      primary key (org_id, id)
    );
  `.execute(db);
}
