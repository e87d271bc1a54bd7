import { randomUUID } from 'node:crypto';
import { blockedEmail, isBlockedContact } from '../../contacts/blocklist/service.ts';
import type { Channel, MessageRef, RequestProgress } from '../contract.ts';
import {
  claimRequested,
  deferBehindOlder,
  failQueued,
  findDeliveryChannel,
  findNextDueMs,
  findWaitingSends,
  type MessageRequest,
  settleInterruptedRequested,
} from './message-requests.queries.ts';
import { settleAndReconcile } from './reconciliation.service.ts';
import { type SendBatchDeps, SendingPaused, sendBatch } from './send-batch.service.ts';
import { SenderUnavailable } from './send-chunks.ts';

const SENDS_PER_BATCH = 500;
/** A call or message requested longer ago than this, without the time of a pause, is no longer wanted. */
const MAX_WAIT_MS = 3_600_000;

/**
 * Sends at most one batch of a request. If this runs twice, each message is still sent once: its delivery row is claimed
 * first. Throws SenderUnavailable.
 */
export async function sendRequested(
  deps: SendBatchDeps,
  orgId: string,
  requested: MessageRequest,
  channel: Channel,
): Promise<RequestProgress> {
  const { db } = deps;
  const lease = randomUUID();
  let waiting = await findWaitingSends(db, orgId, requested, SENDS_PER_BATCH);
  if (waiting.is_interrupted) {
    await settleAndReconcile(db, orgId, (trx) => settleInterruptedRequested(trx, orgId, requested, lease));
    waiting = await findWaitingSends(db, orgId, requested, SENDS_PER_BATCH);
  }
  const isBlocked = {
    isAddressBlocked: blockedEmail(orgId, 'delivery.to'),
    isContactBlocked: isBlockedContact(orgId),
    isCopyBlocked: blockedEmail(orgId, 'copy.address'),
  };
  await sendBatch(deps, orgId, {
    channel,
    lease,
    items: waiting.ids,
    claim: async (ids, { missingSenderReason }) =>
      (await claimRequested(db, orgId, ids, { lease, missingSenderReason, ...isBlocked })).map(
        ({ id, attempts, ...send }) => ({ attempts, message: { ...send, orgId, deliveryId: id }, position: 0 }),
      ),
  });
  const nextDueInMs = await findNextDueMs(db, orgId, requested);
  return { hasMore: nextDueInMs === 0, nextDueInMs };
}

/**
 * Sends one message. If the settings prevent all sends, the message fails at once, because a user waits for the answer.
 * If the provider is unavailable, this throws SenderUnavailable, and the message fails after an hour. While the operator has
 * paused all sending, it waits without a limit, and has an hour after that.
 */
export async function sendSingleMessage(
  deps: SendBatchDeps,
  { orgId, deliveryId }: MessageRef,
): Promise<RequestProgress> {
  const { db } = deps;
  const channel = await findDeliveryChannel(db, orgId, deliveryId);
  if (channel === undefined) return { hasMore: false, nextDueInMs: null };
  await deferBehindOlder(db, orgId, deliveryId);
  try {
    return await sendRequested(deps, orgId, { deliveryId }, channel);
  } catch (error) {
    if (!(error instanceof SenderUnavailable) || error instanceof SendingPaused) throw error;
    const isOver = error.isConfiguration
      ? await failQueued(db, orgId, deliveryId, { reason: error.reason })
      : await failQueued(db, orgId, deliveryId, {
          reason: `given up after an hour: ${error.reason}`,
          olderThanMs: MAX_WAIT_MS,
        });
    if (!isOver) throw error;
    return { hasMore: false, nextDueInMs: null };
  }
}
