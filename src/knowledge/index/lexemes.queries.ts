import { sql } from 'kysely';
import { textArray } from '../../db/arrays.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { sendAhead } from '../../db/connections/pipeline.ts';

/** Returns the lexemes of each word in the language's configuration, including repetitions. */
export async function listLexemes(db: Db, language: string | null, words: string[]): Promise<string[][]> {
  const { rows } = await sql<{ lexemes: string[] }>`
    select array(
      select lexeme from unnest(
        to_tsvector(coalesce(public.search_config(${language}), 'pg_catalog.simple'), public.plain_text(given.word))
      ) as form, unnest(form.positions)
    ) as lexemes
    from unnest(${textArray(words)}::text[]) with ordinality as given (word, nth)
    order by nth
  `.execute(db);
  return rows.map(({ lexemes }) => lexemes);
}

/** The name of a lock: shared by those who add texts with their words, and exclusive to those who delete words. */
export const vocabularyLockOf = (orgId: string): string => `vocabulary ${orgId}`;

/** Returns the generation of an org's words. It changes when words are deleted. */
export async function findVocabularyGeneration(trx: Trx, orgId: string): Promise<number> {
  const row = await trx
    .selectFrom('knowledge_vocabularies')
    .select('generation')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.generation ?? 0;
}

/** Inserts the words new to the org. */
export async function insertWords(trx: Trx, orgId: string, words: string[]): Promise<void> {
  await sendAhead(
    trx,
    sql`
    insert into knowledge_words (org_id, word)
    select ${orgId}::uuid, word from unnest(${textArray(words)}::text[]) as given (word)
    where (
      select true from knowledge_words as known where known.org_id = ${orgId} and known.word = given.word collate "C" limit 1
    ) is null
  `,
  );
}
