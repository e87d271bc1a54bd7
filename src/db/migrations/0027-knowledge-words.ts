import { type Kysely, sql } from 'kysely';

/**
 * A site brings its words by the thousand. They are kept as chunks and postings are, without a foreign key, as whoever writes them holds items
 * of the org; and more of them at a time go from the list of what is pending into the index, where words spelled alike lie together.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table knowledge_words drop constraint knowledge_words_org_id_fkey;
    alter index knowledge_words_by_spelling set (gin_pending_list_limit = 256);
  `.execute(db);
}
