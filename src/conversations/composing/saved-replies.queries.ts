import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { KEPT_FILES } from './files.queries.ts';
import type { SavedRepliesTable } from './table.ts';

const selectReplies = (db: Db, orgId: string) =>
  db
    .selectFrom('saved_replies as kept_by')
    .select(['id', 'shortcut', 'title', 'text', 'language', 'team_id', 'actions', 'uses', 'created_at', 'updated_at'])
    .select(KEPT_FILES.as('attachments'))
    .where('org_id', '=', orgId);

export const findSavedReply = (db: Db, orgId: string, id: string) =>
  selectReplies(db, orgId).where('id', '=', id).executeTakeFirst();

export const listSavedReplies = (db: Db, orgId: string, place: PageRequest) =>
  selectReplies(db, orgId).$call(orderedByCreation(place)).execute();

/** Finds replies with the text: first by shortcuts beginning with it, then by use. */
export const searchSavedReplies = (db: Db, orgId: string, q: string, limit: number) =>
  selectReplies(db, orgId)
    .where(({ eb, or, val }) => {
      const isIn = (column: 'shortcut' | 'title' | 'text') =>
        eb(sql<number>`strpos(lower(${sql.ref(column)}), lower(${val(q)}))`, '>', 0);
      return or([isIn('shortcut'), isIn('title'), isIn('text')]);
    })
    .orderBy(sql`starts_with(lower(shortcut), lower(${q}))`, 'desc')
    .orderBy('uses', 'desc')
    .orderBy('shortcut')
    .limit(limit)
    .execute();

/** Returns whether it was inserted: no other reply has its shortcut. */
export async function insertSavedReply(db: Db, reply: Insertable<SavedRepliesTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('saved_replies')
    .values(reply)
    .onConflict((conflict) => conflict.expression(sql`org_id, lower(shortcut)`).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns the id of the org's reply with this shortcut. */
export async function findIdOfShortcut(db: Db, orgId: string, shortcut: string): Promise<string | undefined> {
  const reply = await db
    .selectFrom('saved_replies')
    .select('id')
    .where('org_id', '=', orgId)
    .where(sql`lower(shortcut)`, '=', sql`lower(${shortcut})`)
    .executeTakeFirst();
  return reply?.id;
}

export async function updateSavedReply(
  db: Db,
  orgId: string,
  id: string,
  changes: Updateable<SavedRepliesTable>,
): Promise<void> {
  await db
    .updateTable('saved_replies')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function countUse(db: Db, orgId: string, id: string): Promise<void> {
  await db
    .updateTable('saved_replies')
    .set({ uses: sql<number>`uses + 1` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

export async function deleteSavedReply(db: Db, orgId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('saved_replies')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
