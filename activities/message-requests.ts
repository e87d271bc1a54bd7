import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { blockedEmail } from '../src/contacts/blocklist/service.ts';
import type { Db } from '../src/db/connect.ts';
import type { Channel, MessageRef, RequestProgress } from '../src/deliveries/contract.ts';
import {
  claimRequested,
  deferBehindOlder,
  failQueued,
  findDeliveryChannel,
  findNextDueMs,
  listQueuedIds,
  type MessageRequest,
  settleInterruptedRequested,
  settleRequested,
} from '../src/deliveries/sending/message-requests.queries.ts';
import { type MessageSenders, NOT_CONNECTED, NOT_CONNECTED_REASON } from '../src/deliveries/sending/message-sender.ts';
import { settleAndReconcile } from '../src/deliveries/sending/reconciliation.service.ts';
import { SenderUnavailable, sendInChunks } from '../src/deliveries/sending/send-batch.ts';

const SENDS_PER_BATCH = 500;
/** A call or message requested longer ago than this is no longer wanted. */
const MAX_WAIT_MS = 3_600_000;

export interface MessageRequestActivityDeps {
  db: Db;
  senders: MessageSenders;
  /** Aborted when the worker shuts down: a batch finishes its sends in flight and leaves the rest. */
  stopping: AbortSignal;
}

export type MessageRequestActivities = ReturnType<typeof createMessageRequestActivities>;

export function createMessageRequestActivities({ db, senders, stopping }: MessageRequestActivityDeps) {
  return {
    /**
     * Sends at most one batch of a request's e-mails. If this runs twice, each e-mail is still sent once: its delivery
     * row is claimed first.
     */
    sendRequestedEmails({ orgId, requestId }: { orgId: string; requestId: string }): Promise<RequestProgress> {
      return sendRequested(orgId, { requestId }, 'email');
    },

    /**
     * Sends one message. If the settings prevent all sends, the message fails at once, because a user waits for the
     * answer. If the provider is unavailable, the message fails after an hour.
     */
    async sendMessage({ orgId, deliveryId }: MessageRef): Promise<RequestProgress> {
      const channel = await findDeliveryChannel(db, orgId, deliveryId);
      if (channel === undefined) return { hasMore: false, nextDueInMs: null };
      await deferBehindOlder(db, orgId, deliveryId);
      try {
        return await sendRequested(orgId, { deliveryId }, channel);
      } catch (error) {
        if (!(error instanceof SenderUnavailable)) throw error;
        const isOver = error.isConfiguration
          ? await failQueued(db, orgId, deliveryId, error.reason)
          : await failQueued(db, orgId, deliveryId, `given up after an hour: ${error.reason}`, MAX_WAIT_MS);
        if (!isOver) throw error;
        return { hasMore: false, nextDueInMs: null };
      }
    },
  };

  async function sendRequested(orgId: string, requested: MessageRequest, channel: Channel): Promise<RequestProgress> {
    const { cancellationSignal } = Context.current();
    const sender = (await senders.of(orgId, channel)) ?? NOT_CONNECTED;
    const lease = randomUUID();
    await settleAndReconcile(db, orgId, (trx) => settleInterruptedRequested(trx, orgId, requested, lease));
    const rule = {
      lease,
      blockedReason: sender === NOT_CONNECTED ? NOT_CONNECTED_REASON : null,
      isAddressBlocked: blockedEmail(orgId, 'delivery.to'),
      isContactBlocked: blockedEmail(orgId, 'contact.email'),
    };
    await sendInChunks({
      items: await listQueuedIds(db, orgId, requested, SENDS_PER_BATCH),
      sender,
      isStopped: () => stopping.aborted || cancellationSignal.aborted,
      claim: async (ids) =>
        (await claimRequested(db, orgId, ids, rule)).map(({ id, attempts, ...send }) => ({
          attempts,
          message: { ...send, orgId, deliveryId: id },
        })),
      settle: async (results) => {
        await settleAndReconcile(db, orgId, async (trx) => {
          await settleRequested(trx, orgId, { provider: sender.provider, lease }, results);
          return results.filter(([, { status }]) => status === 'unknown').length;
        });
      },
    });
    const nextDueInMs = await findNextDueMs(db, orgId, requested);
    return { hasMore: nextDueInMs === 0, nextDueInMs };
  }
}
