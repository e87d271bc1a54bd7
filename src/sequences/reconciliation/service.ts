import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { wakeSequence } from '../enrollment/service.ts';
import { listSendersWithSlots, releaseUnusedSlots } from '../gates/shared.queries.ts';
import { transitionsOf } from '../steps/rules.ts';
import type { SequenceStep } from '../steps/shared.queries.ts';
import {
  cancelObsoleteDeliveries,
  cancelOrphanedDeliveries,
  cancelWaitingDeliveries,
  completePastLastStep,
  endCanceledRuns,
  markChangedWhereDeferred,
  markReconciled,
  releaseDeferrals,
} from './shared.queries.ts';

/**
 * Reconciles the enrollments of a sequence after a change. Ends those canceled or without a next step, ends obsolete
 * deliveries, and re-evaluates deferred sends. Does nothing if nothing changed. Idempotent.
 */
export async function reconcileSequence(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  steps: SequenceStep[],
): Promise<void> {
  if (sequence.changes_to_apply === 0) return;
  const { id, has_stale_turns: isStale } = sequence;
  const moves = transitionsOf(steps);
  await endCanceledRuns(db, orgId, id);
  const senders = await cancelObsoleteDeliveries(db, orgId, id, moves);
  await completePastLastStep(db, orgId, id, moves);
  if (isStale) for (const sender of await listSendersWithSlots(db, orgId, id)) senders.add(sender);
  await releaseDeferrals(db, orgId, id, isStale ? 'stale' : 'kept');
  await releaseSlots(db, orgId, senders);
  await markReconciled(db, orgId, sequence);
}

/**
 * Ends all waiting deliveries of a canceled sequence. Releases the slots of their senders, or others would wait for
 * sends that never come.
 */
export async function cancelSequenceDeliveries(db: Db, orgId: string, sequenceId: string): Promise<void> {
  await releaseSlots(db, orgId, await cancelWaitingDeliveries(db, orgId, sequenceId));
}

async function releaseSlots(db: Db, orgId: string, senders: Set<string>): Promise<void> {
  for (const sender of senders) await inTransaction(db, (trx) => releaseUnusedSlots(trx, orgId, sender));
}

/** Re-evaluates all deferred sends of the org after a change of its settings. */
export const reevaluateDeferrals: Reaction<'sending-settings-changed'> = async (trx, orgId) => {
  for (const sequence of await markChangedWhereDeferred(trx, orgId)) await wakeSequence(trx, orgId, sequence);
};

/** Ends the waiting sends of deleted contacts. */
export const cancelSendsOfDeletedContacts: Reaction<'contact-deleted'> = (trx, orgId) =>
  cancelOrphanedDeliveries(trx, orgId);
