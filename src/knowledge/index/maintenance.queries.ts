import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { deleteSome } from '../../db/deletion.ts';

/** Deletes the words of orgs without any knowledge, some at a time. Returns their number. */
export const deleteUnusedWords = (db: Db): Promise<number> =>
  deleteSome(
    db,
    'knowledge_words',
    sql`org_id in (
      select id from orgs
      where exists (select from knowledge_words as word where word.org_id = orgs.id)
        and not exists (select from knowledge_items as item where item.org_id = orgs.id)
    )`,
  );
