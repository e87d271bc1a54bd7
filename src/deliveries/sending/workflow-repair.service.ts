import { randomUUID } from 'node:crypto';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import { WAKE } from '../../temporal/contract.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { SEND_EMAILS, SEND_MESSAGE } from '../contract.ts';
import { settleInterruptedRequested } from './message-requests.queries.ts';
import { settleAndReconcile } from './reconciliation.service.ts';
import { endQueued, findRequestDelay, type RequestRef } from './workflow-repair.queries.ts';

export {
  listRequestsInDoubt,
  listUnsettledRequests,
  type RequestInDoubt,
  type RequestRef,
} from './workflow-repair.queries.ts';

const STOPPED = 'Stopped in Temporal';
const LOST = 'Its workflow ended in Temporal without the result being stored: it may have been sent';

export const workflowIdOfRequest = ({ orgId, id, isMessage }: RequestRef): string =>
  isMessage
    ? SEND_MESSAGE.workflowId({ orgId, deliveryId: id })
    : SEND_EMAILS.workflowId({ orgId, requestId: id, delayMs: 0 });

/**
 * Mends a request with unsettled sends that has no workflow: they are canceled if the workflow was stopped, of an unknown
 * outcome if it ended otherwise, and sent if Temporal does not know the workflow. Returns what was done, or undefined if
 * the request has changed meanwhile.
 */
export async function mendRequest(
  db: Db,
  ref: RequestRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<string | undefined> {
  if (state === 'absent') return inTransaction(db, (trx) => restart(trx, ref));
  const requested = ref.isMessage ? { deliveryId: ref.id } : { requestId: ref.id };
  const mayHaveGone = state === 'ended';
  let count = 0;
  await settleAndReconcile(db, ref.orgId, async (trx) => {
    if (await hasPendingCommand(trx, workflowIdOfRequest(ref))) return 0;
    const interrupted = await settleInterruptedRequested(trx, ref.orgId, requested, randomUUID());
    const { unknown, ended } = await endQueued(trx, ref.orgId, requested, {
      reason: mayHaveGone ? LOST : STOPPED,
      mayHaveGone,
    });
    count = interrupted + ended;
    return interrupted + unknown;
  });
  if (count === 0) return undefined;
  return mayHaveGone ? 'unknown' : 'canceled';
}

const RESTORED = 'The database was restored from a backup: it may have been sent since';

/**
 * Ends the sends of a request that may have been made by a database that was lost until a time: their outcome is unknown.
 * Those that were due later stay queued. A workflow that runs, or is still to be started, finds only these. Returns what was
 * done, or undefined if the request has changed meanwhile.
 */
export async function endRequestInDoubt(db: Db, ref: RequestRef, lostUntil: Date): Promise<'unknown' | undefined> {
  const requested = ref.isMessage ? { deliveryId: ref.id } : { requestId: ref.id };
  let count = 0;
  await settleAndReconcile(db, ref.orgId, async (trx) => {
    const interrupted = await settleInterruptedRequested(trx, ref.orgId, requested, randomUUID());
    const { unknown, ended } = await endQueued(trx, ref.orgId, requested, {
      reason: RESTORED,
      mayHaveGone: true,
      dueBefore: lostUntil,
    });
    count = interrupted + ended;
    return interrupted + unknown;
  });
  return count === 0 ? undefined : 'unknown';
}

async function restart(trx: Trx, ref: RequestRef): Promise<'resumed' | undefined> {
  const { orgId, id, isMessage } = ref;
  if (await hasPendingCommand(trx, workflowIdOfRequest(ref))) return undefined;
  const subject = { subjectId: id, summary: 'Send a message (repaired: Temporal did not know it)' };
  const command = isMessage
    ? signalWithStart(SEND_MESSAGE, { orgId, deliveryId: id }, WAKE, subject)
    : signalWithStart(
        SEND_EMAILS,
        { orgId, requestId: id, delayMs: await findRequestDelay(trx, orgId, id) },
        WAKE,
        subject,
      );
  await enqueue(trx, orgId, command);
  return 'resumed';
}
