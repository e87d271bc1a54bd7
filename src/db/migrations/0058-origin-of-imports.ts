import { type Kysely, sql } from 'kysely';

/**
 * Imports know the name of their file. Those of contacts know their starter and the reason of a failure. The previous version
 * names nobody.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table contact_imports
      add column file_name text,
      add column actor jsonb not null default '{"kind":"system","id":null,"name":null}',
      add column reason text,
      drop constraint contact_imports_state_check,
      add constraint contact_imports_state_check check (state in ('running', 'completed', 'failed'))
  `.execute(db);
  await sql`alter table imports add column file_name text`.execute(db);
}
