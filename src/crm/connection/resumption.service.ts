import { enqueue } from '../../outbox/outbox.ts';
import { hasEvent } from '../../outbox/pending.queries.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { type HoldCondition, listParkedHandoffs, wakeHandoff } from '../handoffs/service.ts';
import { wakeTicketCloses } from '../handoffs/ticket-closing.service.ts';
import { wakeTicketReopenings } from '../handoffs/ticket-reopening.service.ts';
import { queueSignalOf } from '../inbound/batch-parsing.service.ts';
import {
  listPendingHandoffs,
  listQueuesWithEvents,
  listThreadsWithUnsent,
  listTicketsWithUnsent,
} from './resumption.queries.ts';

/** Anything beyond this number resumes with its own next retry round. */
const MAX_RESUMED = 1_000;
/** Workflows run before the handoff, or may still start. */
const holdsOf = (isHeld: HoldCondition) => [isHeld, hasEvent('pre-ticket-handoff', 'session')];
const INTEGRATION_KINDS = ['crm', 'miaw'];

/** Resumes all work waiting for a connection as soon as its settings are replaced, except handoffs that are held. */
export const resumeCrm =
  (isHeld: HoldCondition): Reaction<'integration-changed'> =>
  async (trx, orgId, events) => {
    if (!events.some(({ payload }) => INTEGRATION_KINDS.includes(payload.kind))) return;
    const waiting = new Map(
      [
        ...(await listParkedHandoffs(trx, orgId, MAX_RESUMED)),
        ...(await listPendingHandoffs(trx, orgId, MAX_RESUMED, holdsOf(isHeld))),
      ].map((run) => [run.sessionId, run]),
    );
    const threads = await listThreadsWithUnsent(trx, orgId, MAX_RESUMED);
    const tickets = await listTicketsWithUnsent(trx, orgId, MAX_RESUMED);
    const queues = await listQueuesWithEvents(trx, orgId, MAX_RESUMED);
    const posting = [...threads.map((id) => `thread/${id}`), ...tickets.map((id) => `ticket/${id}`)];
    await enqueue(
      trx,
      orgId,
      ...[...waiting.values()].map(wakeHandoff),
      ...[...new Set([...queues, ...posting])].map((queue) => queueSignalOf(orgId, queue)),
    );
    await wakeTicketCloses(trx, orgId, MAX_RESUMED);
    await wakeTicketReopenings(trx, orgId, MAX_RESUMED);
  };

/**
 * Resumes the handoffs that have not begun as soon as the org has another target, or none. Those that are held
 * begin after their hold.
 */
export const resumePendingHandoffs =
  (isHeld: HoldCondition): Reaction<'handoff-target-changed'> =>
  async (trx, orgId) => {
    const pending = await listPendingHandoffs(trx, orgId, MAX_RESUMED, holdsOf(isHeld));
    await enqueue(trx, orgId, ...pending.map(wakeHandoff));
  };
