import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { SYNC_MIAW } from '../contract.ts';

/** Has the session's conversation in Salesforce be looked at: what was said there is fetched, what waits here goes there. */
export const wakeMiaw = (orgId: string, sessionId: string): Command =>
  signalWithStart(SYNC_MIAW, { orgId, sessionId }, WAKE, {
    subjectId: sessionId,
    summary: 'Conversation in Salesforce',
  });

/** Has what people said in Salesforce be fetched into a session. Throws notFound. */
export function requestMiawFetch(db: Db, orgId: string, sessionId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    await getSession(trx, orgId, sessionId);
    await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
  });
}
