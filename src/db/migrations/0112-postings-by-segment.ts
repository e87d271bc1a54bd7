import { type Kysely, sql } from 'kysely';

/**
 * A segment's postings are written to the end of their index, and each lexeme has one entry with a list of its segments in
 * the other. An index with the segments of each lexeme grew to six times the size, and each write touched as many of its
 * pages as it had lexemes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table knowledge_postings drop constraint knowledge_postings_pkey, add primary key (org_id, segment, lexeme);
    create index knowledge_postings_by_lexeme on knowledge_postings (org_id, lexeme);
  `.execute(db);
}
