import { holdMerges } from '../../contacts/merging/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { Channel } from '../contract.ts';
import { isSendingPaused } from '../pause/service.ts';
import type { BeginClaimed, ClaimedMessage } from './claims-ahead.ts';
import { type MessageSenders, NOT_CONNECTED, NOT_CONNECTED_REASON } from './message-sender.ts';
import { type Attempt, type SendResult, settleDeliveries } from './outcomes.queries.ts';
import { settleAndReconcile } from './reconciliation.service.ts';
import { SenderUnavailable, type SendPace, sendInChunks } from './send-chunks.ts';
import type { SettlingContinuation } from './settling.rules.ts';

export interface SendBatchDeps {
  db: Db;
  senders: MessageSenders;
  /** True once the batch must finish its sends in flight and leave the rest. */
  isStopped(): boolean;
}

/** The org's sender on a channel, as far as claims need it. */
export interface BatchSender {
  /** The number or address of all its messages; null if each message has its own. */
  fromAddress: string | null;
  /** Why nothing can be sent at all, or null. */
  missingSenderReason: string | null;
}

/** Sends on one channel. Their owner claims them; the outcomes are settled here. */
export interface SendBatch<Item> {
  channel: Channel;
  /** The id of this attempt, stored in the rows it claims. */
  lease: string;
  items: Item[];
  /**
   * Records these as being sent and returns the allowed ones. Those claimed ahead have positions from the first one on. A
   * repeated call for the same chunk returns the same.
   */
  claim(chunk: Item[], sender: BatchSender, firstPosition: number | null): Promise<ClaimedMessage[]>;
  /** Begins sends claimed ahead. Without it, they begin as they are claimed. */
  begin?: BeginClaimed;
  /** Shared by batches that follow one another. */
  pace?: SendPace;
  /** Builds the owner's part of the statement that settles a chunk. */
  continuation?: SettlingContinuation;
  /** Ends those of the requeued deliveries that will not be sent again, in the transaction that requeued them. */
  endRequeued?: EndRequeued;
}

type EndRequeued = (trx: Trx, deliveryIds: string[]) => Promise<void>;

export interface OutcomeCounts {
  sent: number;
  failed: number;
  unknown: number;
}

/** How long a batch waits before it looks again whether sending is still paused. */
const PAUSE_RETRY_MS = 30_000;

/** The operator has paused all sending: everything waits, however long. */
export class SendingPaused extends SenderUnavailable {
  constructor() {
    super({ reason: 'the operator has paused all sending', isConfiguration: false, retryAfterMs: PAUSE_RETRY_MS });
    this.name = 'SendingPaused';
  }
}

/**
 * Sends a batch with the org's sender of the channel. Each message is sent at most once: its delivery is claimed first,
 * and one without a known outcome is reconciled with the provider. Throws SenderUnavailable if the sender as a whole is
 * unavailable, or SendingPaused; the messages then wait.
 */
export async function sendBatch<Item>(
  { db, senders, isStopped }: SendBatchDeps,
  orgId: string,
  { channel, lease, items, claim, begin, pace, continuation, endRequeued }: SendBatch<Item>,
): Promise<OutcomeCounts> {
  if (items.length > 0 && (await isSendingPaused(db))) throw new SendingPaused();
  const sender = (await senders.of(orgId, channel)) ?? NOT_CONNECTED;
  const missingSenderReason = sender === NOT_CONNECTED ? NOT_CONNECTED_REASON : null;
  const attempt: Attempt = { provider: sender.provider, lease, continuation };
  const counts = { sent: 0, failed: 0, unknown: 0 };
  await sendInChunks<Item>({
    items,
    sender,
    isStopped,
    claim: (chunk, firstPosition) =>
      claim(chunk, { fromAddress: sender.fromAddress, missingSenderReason }, firstPosition),
    begin,
    pace,
    settle: async (results) => {
      await settle(db, orgId, { attempt, results, endRequeued });
      countOutcomes(counts, results);
    },
  });
  return counts;
}

async function settle(
  db: Db,
  orgId: string,
  { attempt, results, endRequeued }: { attempt: Attempt; results: SendResult[]; endRequeued: EndRequeued | undefined },
): Promise<void> {
  const unknown = results.filter(([, { status }]) => status === 'unknown').length;
  const requeued = results.flatMap(([id, { status }]) => (status === 'queued' ? [id] : []));
  const optsOut = results.some(([, { suppression }]) => suppression === 'unsubscribed');
  if (unknown === 0 && !optsOut && (requeued.length === 0 || endRequeued === undefined))
    return settleDeliveries(db, orgId, attempt, results);
  await settleAndReconcile(db, orgId, async (trx) => {
    if (optsOut) await holdMerges(trx, orgId);
    await settleDeliveries(trx, orgId, attempt, results);
    if (requeued.length > 0) await endRequeued?.(trx, requeued);
    return unknown;
  });
}

function countOutcomes(counts: OutcomeCounts, results: SendResult[]): void {
  for (const [, { status }] of results) {
    if (status === 'accepted') counts.sent++;
    else if (status === 'unknown') counts.unknown++;
    else if (status !== 'queued') counts.failed++;
  }
}
