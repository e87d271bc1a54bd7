import { type Kysely, sql } from 'kysely';

/** Actions of a connection: they are called with its credentials, and end with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table actions
      add column connection_kind text,
      add column connection_name text,
      add column connection_operation text,
      add foreign key (org_id, connection_kind, connection_name) references integrations (org_id, kind, name) on delete cascade,
      add check (num_nulls(connection_kind, connection_name, connection_operation) in (0, 3));
    create unique index actions_by_connection on actions (org_id, connection_kind, connection_name, connection_operation)
      where connection_kind is not null;
  `.execute(db);
}
