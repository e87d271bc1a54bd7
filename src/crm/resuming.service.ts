import { enqueue } from '../outbox/outbox.ts';
import type { Reaction } from '../outbox/relay.ts';
import { signalsOf } from './batches.service.ts';
import { listParked } from './handoffs.queries.ts';
import { wakeHandoff } from './handoffs.service.ts';
import { listPending, listQueues, listThreadsToSay } from './resuming.queries.ts';

/** What is behind these comes with the next round of each. */
const MOST_AT_ONCE = 1_000;
const KINDS = ['crm', 'miaw'];

/** Has what waited for a connection go on as soon as its settings are replaced. */
export const resumeCrm: Reaction<'integration-changed'> = async (trx, orgId, events) => {
  if (!events.some(({ payload }) => KINDS.includes(payload.kind))) return;
  const waiting = new Set([
    ...(await listParked(trx, orgId, MOST_AT_ONCE)),
    ...(await listPending(trx, orgId, MOST_AT_ONCE)),
  ]);
  const threads = await listThreadsToSay(trx, orgId, MOST_AT_ONCE);
  const queues = await listQueues(trx, orgId, MOST_AT_ONCE);
  await enqueue(
    trx,
    orgId,
    ...[...waiting].map((sessionId) => wakeHandoff(orgId, sessionId)),
    ...signalsOf(orgId, [...queues, ...threads.map((id) => `thread/${id}`)]),
  );
};
