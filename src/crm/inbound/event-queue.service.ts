import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError } from '../../errors.ts';
import { CrmError } from '../../providers/crm/errors.ts';
import { listQueuedEvents, lockEvent, type QueuedEvent, type Settlement, settleEvent } from '../event-queue.queries.ts';

const EVENTS_PER_BATCH = 50;

/** What is to be done about an event: nothing for now, or something that ends it and says how. */
export type EventDecision = { waitMs: number } | Settlement | { effect: (trx: Trx) => Promise<Settlement> };

/** How far a queue was worked off. */
export interface QueueProgress {
  hasMore: boolean;
  /** How long the oldest event is still to wait; 0 where none is. */
  waitMs: number;
}

/**
 * Works off the events of a queue in the order in which they happened, each in a transaction of its own. `handle` asks the CRM what it needs;
 * where another try may help its error ends the batch, which can be run again. What is refused for good is told on the event.
 */
export async function processQueue(
  db: Db,
  orgId: string,
  queue: string,
  { handle, isStopped }: { handle: (event: QueuedEvent) => Promise<EventDecision>; isStopped: () => boolean },
): Promise<QueueProgress> {
  const events = await listQueuedEvents(db, orgId, queue, EVENTS_PER_BATCH);
  for (const event of events) {
    if (isStopped()) return { hasMore: true, waitMs: 0 };
    if (event.wait_ms > 0) return { hasMore: false, waitMs: event.wait_ms };
    const handling = await handle(event).catch((error: unknown) => failureOf(error));
    if ('waitMs' in handling) return { hasMore: false, waitMs: handling.waitMs };
    await settle(db, orgId, event.dedupe_key, handling);
  }
  return { hasMore: events.length === EVENTS_PER_BATCH, waitMs: 0 };
}

/** The effect and the end of the event's wait are one. Whoever comes second changes nothing. */
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

function failureOf(error: unknown): Settlement {
  if (error instanceof CrmError && !error.transient) return { state: 'failed', reason: error.message };
  throw error;
}
