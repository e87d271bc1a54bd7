import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction, notifyAfterCommit } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { getSeq } from '../history/service.ts';
import { LIVE_CHANNEL, readHint } from '../live/rules.ts';
import { findMark, type ReaderRef, upsertRead, upsertUnread } from './queries.ts';
import type { MarkRead } from './schema.ts';

/** Marks a session as read by a member, up to an item or all. Returns the mark. Throws notFound. */
export const markRead = (db: Db, orgId: string, reader: ReaderRef, { up_to }: MarkRead) =>
  change(db, orgId, reader, async (trx) =>
    upsertRead(trx, orgId, reader, await getSeq(trx, orgId, { sessionId: reader.sessionId, itemId: up_to })),
  );

/** Lets a session count as unread for a member until it reads it again. Returns the mark. Throws notFound. */
export const markUnread = (db: Db, orgId: string, reader: ReaderRef) =>
  change(db, orgId, reader, async (trx) => {
    await getSeq(trx, orgId, { sessionId: reader.sessionId, itemId: undefined });
    await upsertUnread(trx, orgId, reader);
  });

function change(db: Db, orgId: string, reader: ReaderRef, write: (trx: Trx) => Promise<void>) {
  return inTransaction(db, async (trx) => {
    await write(trx);
    notifyAfterCommit(trx, LIVE_CHANNEL, readHint({ orgId, ...reader }));
    const mark = await findMark(trx, orgId, reader);
    if (mark === undefined) throw notFound('session');
    return mark;
  });
}
