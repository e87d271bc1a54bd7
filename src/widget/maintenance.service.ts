import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { announce } from '../outbox/announcing.ts';
import { deleteAbandonedVisitorRows } from './visitors.queries.ts';

/**
 * Deletes visitors who never began a conversation, with their contacts of which nothing is known but what the visitor
 * claimed, some at a time. Returns their number.
 */
export function deleteAbandonedVisitors(db: Db): Promise<number> {
  return inTransaction(db, async (trx) => {
    const deleted = await deleteAbandonedVisitorRows(trx);
    for (const [orgId, contacts] of Map.groupBy(deleted, ({ org_id }) => org_id))
      await announce(
        trx,
        orgId,
        contacts.map(({ id }) => ({ type: 'contact-deleted', subject_id: id, payload: {} })),
      );
    return deleted.length;
  });
}
