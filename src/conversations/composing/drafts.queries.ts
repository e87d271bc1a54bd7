import { type SqlBool, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Position } from '../../db/cursor.ts';
import { KEPT_FILES } from './files.queries.ts';
import type { DraftsTable } from './table.ts';

/** A member's drafts in a session. */
export interface DraftsRef {
  sessionId: string;
  userId: number;
}

/** One of them: there is at most one of each kind. */
export interface DraftRef extends DraftsRef {
  kind: DraftsTable['kind'];
}

const selectDrafts = (db: Db, orgId: string, userId: number) =>
  db
    .selectFrom('drafts as kept_by')
    .select(['kept_by.kind', 'kept_by.text', 'kept_by.updated_at', KEPT_FILES.as('attachments')])
    .where('kept_by.org_id', '=', orgId)
    .where('kept_by.user_id', '=', userId);

export const findDraft = (db: Db, orgId: string, { sessionId, userId, kind }: DraftRef) =>
  selectDrafts(db, orgId, userId)
    .where('kept_by.session_id', '=', sessionId)
    .where('kept_by.kind', '=', kind)
    .executeTakeFirst();

/** Returns the drafts of a member in a session, the newest first. */
export const listDraftsIn = (db: Db, orgId: string, { sessionId, userId }: DraftsRef) =>
  selectDrafts(db, orgId, userId)
    .where('kept_by.session_id', '=', sessionId)
    .orderBy('kept_by.updated_at', 'desc')
    .execute();

/** Returns when the draft was updated. */
export async function upsertDraft(db: Db, draft: Omit<DraftsTable, 'updated_at'>): Promise<Date> {
  const { text, media_ids } = draft;
  const { updated_at } = await db
    .insertInto('drafts')
    .values(draft)
    .onConflict((conflict) =>
      conflict
        .columns(['org_id', 'user_id', 'session_id', 'kind'])
        .doUpdateSet({ text, media_ids, updated_at: sql<Date>`now()` }),
    )
    .returning('updated_at')
    .executeTakeFirstOrThrow();
  return updated_at;
}

/** Deletes the draft of a kind, or those of both. */
export async function deleteDrafts(
  db: Db,
  orgId: string,
  { sessionId, userId, kind }: DraftsRef & Partial<DraftRef>,
): Promise<void> {
  const both = db
    .deleteFrom('drafts')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .where('session_id', '=', sessionId);
  await (kind === undefined ? both : both.where('kind', '=', kind)).execute();
}

/** Returns the drafts of a member behind a position, plus one more if there is one, the newest first. */
export const listDrafts = (
  db: Db,
  orgId: string,
  { userId, after, limit }: { userId: number; after: Position | undefined; limit: number },
) =>
  selectDrafts(db, orgId, userId)
    .innerJoin('sessions as session', (join) =>
      join.onRef('session.org_id', '=', 'kept_by.org_id').onRef('session.id', '=', 'kept_by.session_id'),
    )
    .leftJoin('contacts as contact', (join) =>
      join.onRef('contact.org_id', '=', 'session.org_id').onRef('contact.id', '=', 'session.contact_id'),
    )
    .select(['kept_by.session_id', 'kept_by.session_id as id', 'session.ticket_number', 'contact.name as contact_name'])
    .$if(after !== undefined, (query) =>
      query.where(
        sql<SqlBool>`(kept_by.updated_at, kept_by.session_id) < (${after?.at}::timestamptz, ${after?.id}::uuid)`,
      ),
    )
    .orderBy('kept_by.updated_at', 'desc')
    .orderBy('kept_by.session_id', 'desc')
    .limit(limit + 1)
    .execute();

/** Deletes all drafts of a session. Returns their files, without those of saved replies. */
export async function deleteDraftsOfSession(trx: Trx, orgId: string, sessionId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with deleted as (
      delete from drafts where org_id = ${orgId} and session_id = ${sessionId} returning media_ids
    )
    select distinct file.id from deleted cross join lateral unnest(deleted.media_ids) as file (id)
    where not exists (select from saved_replies as reply where reply.org_id = ${orgId} and file.id = any(reply.media_ids))
  `.execute(trx);
  return rows.map(({ id }) => id);
}
