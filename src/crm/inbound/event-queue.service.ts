import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import {
  findNextDelay,
  listQueuedEvents,
  lockEvent,
  type QueuedEvent,
  type Settlement,
  settleEvent,
  updateWaitReason,
} from './event-queue.shared.queries.ts';

const EVENTS_PER_BATCH = 50;

/** How an event is processed: later, at once with a known result, or by an effect that returns its result. */
export type EventDecision = { waitMs: number } | Settlement | { effect: (trx: Trx) => Promise<Settlement> };

/** The progress of processing a queue. */
export interface QueueProgress {
  hasMore: boolean;
  /** The remaining delay of the next event; 0 if it is not deferred. */
  waitMs: number;
}

/**
 * Processes the events of a queue in order of their occurrence, each in its own transaction. Without `isOrdered`, an
 * event that waits lets the others pass. `handle` asks the CRM for
 * the data it needs. If another attempt may succeed, its error ends the batch, and the batch can be run again. Outages and
 * permanent refusals are recorded on the event.
 */
export async function processQueue(
  db: Db,
  orgId: string,
  queue: string,
  {
    handle,
    isStopped,
    isOrdered = true,
  }: { handle: (event: QueuedEvent) => Promise<EventDecision>; isStopped: () => boolean; isOrdered?: boolean },
): Promise<QueueProgress> {
  const events = await listQueuedEvents(db, orgId, queue, { limit: EVENTS_PER_BATCH, areDue: !isOrdered });
  for (const event of events) {
    if (isStopped()) return { hasMore: true, waitMs: 0 };
    if (event.wait_ms > 0) return { hasMore: false, waitMs: event.wait_ms };
    const handling = await handle(event).catch((error: unknown) => failureOf(db, orgId, event, error));
    if (!('waitMs' in handling)) await settle(db, orgId, event.dedupe_key, handling);
    else if (isOrdered) return { hasMore: false, waitMs: handling.waitMs };
  }
  const hasMore = events.length === EVENTS_PER_BATCH;
  return { hasMore, waitMs: hasMore || isOrdered ? 0 : await findNextDelay(db, orgId, queue) };
}

/**
 * Applies the effect and settles the event in one transaction. A second transaction for the same event changes nothing.
 */
async function settle(
  db: Db,
  orgId: string,
  key: string,
  handling: Exclude<EventDecision, { waitMs: number }>,
): Promise<void> {
  try {
    await inTransaction(db, async (trx) => {
      if (!(await lockEvent(trx, orgId, key))) return;
      await settleEvent(trx, orgId, key, 'effect' in handling ? await handling.effect(trx) : handling);
    });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    await settleEvent(db, orgId, key, { state: 'failed', reason: error.message });
  }
}

/** Returns the failure of an event that the CRM refused. Throws other errors: the event shows which outage it waits for. */
async function failureOf(db: Db, orgId: string, { dedupe_key }: QueuedEvent, error: unknown): Promise<Settlement> {
  if (!(error instanceof CrmError)) throw error;
  if (!error.transient) return { state: 'failed', reason: error.message };
  if (!error.isOwnLimit) await updateWaitReason(db, orgId, dedupe_key, `Waiting for the CRM: ${error.message}`);
  throw error;
}
