import { type Kysely, sql } from 'kysely';

/** A text that the provider refuses, or always fails at, is left out with the reason, so that the others get their vectors. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table knowledge_embeddings
      add column refused_at timestamptz,
      add column refusal text,
      add check ((refused_at is null) = (refusal is null));
    create index knowledge_embeddings_refused on knowledge_embeddings (refused_at, org_id) where refused_at is not null;
  `.execute(db);
}
