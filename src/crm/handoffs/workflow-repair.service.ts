import { isWithoutParts } from '../../conversations/handoff/status.service.ts';
import { getSession } from '../../conversations/sessions/service.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { EventType } from '../../outbox/events.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { hasPendingCommand, hasPendingEvent } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import type { SessionRun } from '../contract.ts';
import { failUnfinishedParts } from './queries.ts';
import { updateAndReportParts, wakeHandoff } from './service.ts';
import { type HoldCondition, isHandoffHeld } from './unfinished.queries.ts';

export { listUnfinishedHandoffs } from './unfinished.queries.ts';

const STARTING_EVENTS: EventType[] = ['pre-ticket-handoff', 'ticket-handoff'];
const STOPPED = 'Stopped in Temporal: retry it to continue';

export const workflowIdOfHandoff = (run: SessionRun): string => wakeHandoff(run).workflow_id;

/**
 * Mends a handoff that is not done and has no workflow: its unfinished parts fail if the workflow was stopped, so that
 * they can be retried by hand. Otherwise it continues, and looks in the other system for what it has created. One without
 * any part begins, unless its events still have to start it or it is held. Returns what was done, or undefined if it has changed
 * meanwhile.
 */
export function mendHandoff(
  db: Db,
  run: SessionRun,
  state: Exclude<ExecutionState, 'running'>,
  isHeld: HoldCondition,
): Promise<'failed' | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, sessionId } = run;
    if (await hasPendingCommand(trx, workflowIdOfHandoff(run))) return undefined;
    const { handoff } = await getSession(trx, orgId, sessionId);
    if (handoff === null || isWithoutParts(handoff)) return undefined;
    const hasParts = (handoff.parts ?? []).length > 0;
    if (hasParts && state === 'stopped') {
      const failed = await updateAndReportParts(trx, orgId, sessionId, (changing) =>
        failUnfinishedParts(changing, orgId, run, STOPPED),
      );
      return failed === 0 ? undefined : 'failed';
    }
    if (!hasParts && (await hasPendingEvent(trx, orgId, sessionId, STARTING_EVENTS))) return undefined;
    if (!hasParts && (await isHandoffHeld(trx, orgId, sessionId, isHeld))) return undefined;
    await enqueue(trx, orgId, wakeHandoff(run));
    return 'resumed';
  });
}
