import { setTimeout as sleep } from 'node:timers/promises';
import { forEachConcurrently } from '../../concurrency/limited.ts';
import { isDatabaseUnavailable, isStatementTimeout } from '../../db/failures.ts';
import { ProviderError } from '../../errors.ts';
import { measured, secondsSince } from '../../processes/measurements.ts';
import type { SendOutcome } from '../../providers/sending.ts';
import { type BeginClaimed, type ClaimedGroups, type ClaimedMessage, claimsAhead } from './claims-ahead.ts';
import type { MessageSender, OutgoingMessage } from './message-sender.ts';
import { NOT_BEGUN, type Settlement, settlementOf } from './outcomes.rules.ts';
import { slotsOf } from './slots.ts';

const CHUNKS_IN_FLIGHT = 2;
/** One chunk more than are in flight, so that one is settled while the others are sent. */
const LANES = CHUNKS_IN_FLIGHT + 1;
/** The sends that begin together are sent in about this time: no more can be unknown after a crash than in a moment. */
const CHUNK_MS = 60;
const MAX_CHUNK = 25;
/** A send of a chunk that has not begun by then is put back: its provider has become slow. */
const MAX_BEGUN_MS = 2 * CHUNK_MS;
const DATABASE_RETRY_MS = 500;
const MAX_SETTLE_MS = 600_000;
/** The longest a provider's Retry-After may block the org's other sends. */
const MAX_RETRY_AFTER_MS = 60_000;

export interface ChunkedSend<Item> {
  items: Item[];
  sender: MessageSender;
  /**
   * Records these as being sent and returns the allowed ones, in the order of the items. Those claimed ahead have positions,
   * and begin later. A repeated call for the same chunk returns the same.
   */
  claim(chunk: Item[], firstPosition: number | null): Promise<ClaimedMessage[]>;
  /** Begins sends claimed ahead. Without it, they begin as they are claimed. */
  begin?: BeginClaimed | undefined;
  /** Records the outcomes. A repeated call changes nothing. */
  settle(results: SendResult[]): Promise<void>;
  /** Checked before each send. */
  isStopped(): boolean;
  /** Of the batches before, and of those that follow. */
  pace?: SendPace | undefined;
}

/** How many sends begin together, as fast as a sender has been. Batches that follow one another share it. */
export interface SendPace {
  chunk?: number;
}

type SendResult = [deliveryId: string, Settlement];

/**
 * Sends items in chunks, two at a time, so claiming and settling overlap with sending. Chunks of a fast provider are larger.
 * Never more are given to the sender and not yet answered than its concurrency, over all batches of this process. If the
 * provider as a whole is unavailable, requeues the chunk and throws a ProviderError. Waits while the database is
 * unavailable, as only this process knows the outcomes. Returns or throws only when nothing is in progress any more.
 */
export async function sendInChunks<Item>(work: ChunkedSend<Item>): Promise<void> {
  const { sender, settle, isStopped, pace = {} } = work;
  const width = Math.max(1, Math.floor(sender.concurrency / CHUNKS_IN_FLIGHT));
  let trouble: SenderProblem | undefined;
  let hasFailed = false;
  const slots = slotsOf(sender);
  const groups = groupsOf(work, width);

  const sendGroup = async (sendings: ClaimedMessage[]): Promise<SendResult[]> => {
    const begunAt = performance.now();
    const results: SendResult[] = [];
    const isLate = (nth: number) => nth >= width && performance.now() - begunAt > MAX_BEGUN_MS;
    await forEachConcurrently([...sendings.entries()], width, async ([nth, { message, attempts }]) => {
      const outcome = isOver() || isLate(nth) ? undefined : await sendMeasured(sender, message);
      if (outcome !== undefined) trouble ??= senderProblemOf(outcome);
      results.push([
        message.deliveryId,
        outcome === undefined
          ? NOT_BEGUN
          : settlementOf(message.channel, outcome, attempts, { isTransactional: isTransactional(message) }),
      ]);
    });
    if (sendings.length >= (pace.chunk ?? width))
      pace.chunk = nextChunkSize(sendings.length, performance.now() - begunAt, width);
    return results;
  };
  const isOver = () => trouble !== undefined || hasFailed || isStopped();
  const sendInSlots = async () => {
    await slots.acquire(width);
    try {
      if (isOver()) return [];
      const { sendings, withheld } = await groups.next(pace.chunk ?? width);
      return [...putBack(withheld), ...(await sendGroup(sendings))];
    } finally {
      slots.release(width);
    }
  };
  const settleSurely = async (results: SendResult[]) => {
    const giveUpAt = performance.now() + MAX_SETTLE_MS;
    await retryWhileDatabaseIsDown(
      () => performance.now() > giveUpAt,
      () => settle(results),
    );
  };
  const lane = async () => {
    while (groups.hasMore() && !isOver()) await settleSurely(await sendInSlots());
  };

  const runs = Array.from({ length: LANES }, () =>
    lane().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await Promise.allSettled(runs);
  const rest = groups.rest();
  await Promise.allSettled([rest]);
  await Promise.all(runs);
  await settleSurely(putBack(await rest));
  if (trouble !== undefined) {
    throw new SenderUnavailable(trouble);
  }
}

const putBack = (sendings: ClaimedMessage[]): SendResult[] =>
  sendings.map(({ message }) => [message.deliveryId, NOT_BEGUN]);

/** Returns the size of the next chunk: twice the former one while that is sent at once, half of it if it took long. */
function nextChunkSize(size: number, tookMs: number, width: number): number {
  if (tookMs < CHUNK_MS / 2) return Math.min(size * 2, Math.max(MAX_CHUNK, width));
  return tookMs > CHUNK_MS ? Math.max(Math.floor(size / 2), width) : size;
}

/** Returns the claimed sends of a batch in groups. The database may be away meanwhile. */
function groupsOf<Item>({ items, claim, begin, isStopped }: ChunkedSend<Item>, minSize: number): ClaimedGroups {
  const claimSurely = (chunk: Item[], firstPosition: number | null) =>
    retryWhileDatabaseIsDown(isStopped, () => claim(chunk, firstPosition));
  if (begin !== undefined)
    return claimsAhead({
      items,
      minSize,
      claim: claimSurely,
      begin: (group, turn) => retryWhileDatabaseIsDown(isStopped, () => begin(group, turn)),
    });
  let next = 0;
  return {
    hasMore: () => next < items.length,
    async next(size) {
      const chunk = items.slice(next, next + size);
      next += chunk.length;
      return { sendings: chunk.length === 0 ? [] : await claimSurely(chunk, null), withheld: [] };
    },
    rest: async () => [],
  };
}

const isTransactional = (message: OutgoingMessage): boolean =>
  message.channel === 'email' && message.content.is_transactional;

async function sendMeasured(sender: MessageSender, message: OutgoingMessage): Promise<SendOutcome> {
  const startedAt = performance.now();
  const outcome = await sender.send(message).catch(notSent);
  const { channel } = message;
  measured('send', { channel, provider: sender.provider, outcome: outcome.kind, seconds: secondsSince(startedAt) });
  return outcome;
}

/** A sender never throws, so nothing was sent: the parts of the message could not be read. */
const notSent = (error: unknown): SendOutcome => ({ kind: 'retry', scope: 'provider', reason: String(error) });

async function retryWhileDatabaseIsDown<T>(isGivenUp: () => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(isDatabaseUnavailable(error) || isStatementTimeout(error)) || isGivenUp()) throw error;
      await sleep(DATABASE_RETRY_MS);
    }
  }
}

/** The org's messages cannot be sent on the channel now. `isConfiguration`: not until its settings are fixed. */
export class SenderUnavailable extends ProviderError {
  readonly isConfiguration: boolean;
  /** The provider's own words. */
  readonly reason: string;

  constructor({ reason, isConfiguration, retryAfterMs }: SenderProblem) {
    super(`The sender is unavailable: ${reason}`, {
      transient: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) }),
    });
    this.name = 'SenderUnavailable';
    this.isConfiguration = isConfiguration;
    this.reason = reason;
  }
}

interface SenderProblem {
  reason: string;
  isConfiguration: boolean;
  retryAfterMs?: number | undefined;
}

function senderProblemOf(outcome: SendOutcome): SenderProblem | undefined {
  if (outcome.kind === 'retry' && outcome.scope === 'provider')
    return { reason: outcome.reason, isConfiguration: false, retryAfterMs: outcome.retryAfterMs };
  if (outcome.kind === 'rejected' && outcome.because === 'config')
    return { reason: outcome.reason, isConfiguration: true };
  return undefined;
}
