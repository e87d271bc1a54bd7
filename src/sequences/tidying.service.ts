import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { giveBackTurns, listAwaitedSenders } from './gates.queries.ts';
import type { SequenceRow } from './queries.ts';
import { movesOf } from './rules.ts';
import type { SequenceStep } from './steps.queries.ts';
import {
  cancelWaitingDeliveries,
  completeBehindLastStep,
  dropStrandedDeliveries,
  endCanceledRuns,
  noteOrder,
  releaseHolds,
} from './tidying.queries.ts';

/**
 * Puts the enrollments of a sequence in order after a change: ends what was canceled or has no next step, drops what will never be sent, and
 * has what gates hold be looked at anew. Nothing is done where nothing changed; done twice, it does no harm.
 */
export async function tidy(db: Db, orgId: string, sequence: SequenceRow, steps: SequenceStep[]): Promise<void> {
  if (sequence.changes_to_apply === 0) return;
  const { id, has_stale_turns: isStale } = sequence;
  const moves = movesOf(steps);
  await endCanceledRuns(db, orgId, id);
  const senders = await dropStrandedDeliveries(db, orgId, id, moves);
  await completeBehindLastStep(db, orgId, id, moves);
  if (isStale) for (const sender of await listAwaitedSenders(db, orgId, id)) senders.add(sender);
  await releaseHolds(db, orgId, id, isStale ? 'stale' : 'kept');
  await giveBack(db, orgId, senders);
  await noteOrder(db, orgId, sequence);
}

/** Ends all that waits in a sequence that was canceled. The turns of senders are given back, or others would wait for sends that never come. */
export async function cancelWaiting(db: Db, orgId: string, sequenceId: string): Promise<void> {
  await giveBack(db, orgId, await cancelWaitingDeliveries(db, orgId, sequenceId));
}

async function giveBack(db: Db, orgId: string, senders: Set<string>): Promise<void> {
  for (const sender of senders) await inTransaction(db, (trx) => giveBackTurns(trx, orgId, sender));
}
