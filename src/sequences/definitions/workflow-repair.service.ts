import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { hasPendingCommand } from '../../outbox/pending.queries.ts';
import type { ExecutionState } from '../../temporal/executions.ts';
import { RUN_SEQUENCE, type SequenceRef } from '../contract.ts';
import { wakeSequence } from '../enrollment/service.ts';
import { findSequence, transitionSequence } from './shared.queries.ts';

export { listActiveSequences } from './shared.queries.ts';

const STOPPED = 'Stopped in Temporal: resume it to continue';

export const workflowIdOfSequence = (ref: SequenceRef): string => RUN_SEQUENCE.workflowId(ref);

/** Pauses a sequence whose workflow was stopped in Temporal. Resuming continues it. Returns whether it was active. */
export const pauseStoppedSequence = (db: Db, { orgId, sequenceId }: SequenceRef): Promise<boolean> =>
  transitionSequence(
    db,
    orgId,
    { id: sequenceId, from: ['active'] },
    { status: 'paused', paused_at: new Date(), paused_reason: STOPPED },
  );

/**
 * Mends an active sequence that has no workflow: it is paused if the workflow was stopped, and otherwise started again.
 * Returns what was done, or undefined if the sequence has changed meanwhile.
 */
export function mendSequence(
  db: Db,
  ref: SequenceRef,
  state: Exclude<ExecutionState, 'running'>,
): Promise<'paused' | 'resumed' | undefined> {
  return inTransaction(db, async (trx) => {
    const { orgId, sequenceId } = ref;
    const sequence = await findSequence(trx, orgId, sequenceId, { forUpdate: true });
    if (sequence?.status !== 'active' || (await hasPendingCommand(trx, workflowIdOfSequence(ref)))) return undefined;
    if (state === 'stopped') return (await pauseStoppedSequence(trx, ref)) ? 'paused' : undefined;
    await wakeSequence(trx, orgId, sequence);
    return 'resumed';
  });
}
