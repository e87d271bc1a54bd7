import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Command, enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { WAKE } from '../../temporal/contract.ts';
import { SYNC_MIAW } from '../contract.ts';

/** Returns the command to sync the session's conversation with Salesforce, in both directions. */
export const wakeMiaw = (orgId: string, sessionId: string): Command =>
  signalWithStart(SYNC_MIAW, { orgId, sessionId }, WAKE, {
    subjectId: sessionId,
    summary: 'Sync a session with its conversation in Salesforce',
  });

/** Schedules fetching the agents' messages from Salesforce into a session. Throws notFound. */
export function requestMiawFetch(db: Db, orgId: string, sessionId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    await getSession(trx, orgId, sessionId);
    await enqueue(trx, orgId, wakeMiaw(orgId, sessionId));
  });
}
