import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';

const WORDS_PER_CHECK = 2_000;

/** Returns orgs whose words were not compared with their texts for a day, or not to the end, in any order. */
export async function listUncheckedVocabularies(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select org.id from orgs as org left join knowledge_vocabularies as vocabulary on vocabulary.org_id = org.id
    where (vocabulary.org_id is null or vocabulary.checked_to <> '' or vocabulary.checked_at < now() - interval '1 day')
      and exists (select from knowledge_words as word where word.org_id = org.id)
    order by random() limit ${limit}
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes the unused ones among an org's next words. Returns the number of words compared with the texts. */
export async function deleteNextUnusedWords(trx: Trx, orgId: string): Promise<number> {
  const checked = await sql<{ words: number }>`
    with next_words as materialized (
      select ctid, word from knowledge_words
      where org_id = ${orgId} and word > coalesce((select checked_to from knowledge_vocabularies where org_id = ${orgId}), '')
      order by word limit ${WORDS_PER_CHECK}
    ), gone as (
      delete from knowledge_words where ctid = any(array(
        select ctid from next_words
        where not exists (select from knowledge_postings where org_id = ${orgId} and lexeme = next_words.word)
      )) returning 1
    ), counted as (
      select (select count(*) from next_words) as words, (select max(word) from next_words) as last, (select count(*) from gone) as gone
    ), kept as (
      insert into knowledge_vocabularies as vocabulary (org_id, generation, checked_to)
      select ${orgId}::uuid, least(gone, 1), case when words = ${WORDS_PER_CHECK} then last else '' end from counted
      on conflict (org_id) do update set generation = vocabulary.generation + excluded.generation,
        checked_to = excluded.checked_to, checked_at = now()
    )
    select words::int from counted
  `.execute(trx);
  return onlyRow(checked).words;
}
