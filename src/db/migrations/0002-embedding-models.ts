import { type Kysely, sql } from 'kysely';

/** The vectors of several models can be stored side by side, and a table says which of them questions are compared with. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table knowledge_searched_models (
      org_id uuid not null primary key references orgs(id),
      model text not null,
      source jsonb,
      since timestamptz not null default now()
    )
  `.execute(db);
  await sql`
    create table installed_models (
      name text not null primary key,
      installed_at timestamptz not null default now()
    )
  `.execute(db);
  await sql`
    alter table knowledge_embeddings
      drop constraint knowledge_embeddings_pkey,
      add primary key (org_id, chunk_id, model)
  `.execute(db);
}
