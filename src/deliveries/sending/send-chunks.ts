import { setTimeout as sleep } from 'node:timers/promises';
import { elementAt } from '../../collections/checked-access.ts';
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
  /** Checked before each chunk. */
  isStopped(): boolean;
}

type SendResult = [deliveryId: string, Settlement];

/**
 * Sends items in chunks, two at a time, so claiming and settling overlap with sending. Never more have begun and are not
 * yet answered than the sender's concurrency, over all batches of this process. If the provider as a whole is
 * unavailable, requeues the chunk and throws a ProviderError. Waits while the database is unavailable, as only this
 * process knows the outcomes. Returns or throws only when nothing is in progress any more.
 */
export async function sendInChunks<Item>(work: ChunkedSend<Item>): Promise<void> {
  const { sender, settle, isStopped } = work;
  const chunkSize = Math.max(1, Math.floor(sender.concurrency / CHUNKS_IN_FLIGHT));
  let trouble: SenderProblem | undefined;
  let hasFailed = false;
  const slots = slotsOf(sender);
  const groups = groupsOf(work, chunkSize);

  const sendGroup = async (sendings: ClaimedMessage[]): Promise<SendResult[]> => {
    const outcomes = await Promise.all(sendings.map(({ message }) => sendMeasured(sender, message)));
    trouble ??= outcomes.map(senderProblemOf).find((problem) => problem !== undefined);
    return sendings.map(({ message, attempts }, i) => [
      message.deliveryId,
      settlementOf(message.channel, elementAt(outcomes, i), attempts, { isTransactional: isTransactional(message) }),
    ]);
  };
  const isOver = () => trouble !== undefined || hasFailed || isStopped();
  const sendInSlots = async () => {
    await slots.acquire(chunkSize);
    try {
      return isOver() ? [] : await sendGroup(await groups.next());
    } finally {
      slots.release(chunkSize);
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
  await settleSurely((await rest).map(({ message }) => [message.deliveryId, NOT_BEGUN]));
  if (trouble !== undefined) {
    throw new SenderUnavailable(trouble);
  }
}

/** Returns the claimed sends of a batch in groups of at most `groupSize`. The database may be away meanwhile. */
function groupsOf<Item>({ items, claim, begin, isStopped }: ChunkedSend<Item>, groupSize: number): ClaimedGroups {
  const claimSurely = (chunk: Item[], firstPosition: number | null) =>
    retryWhileDatabaseIsDown(isStopped, () => claim(chunk, firstPosition));
  if (begin !== undefined)
    return claimsAhead({
      items,
      groupSize,
      claim: claimSurely,
      begin: (through) => retryWhileDatabaseIsDown(isStopped, () => begin(through)),
    });
  let next = 0;
  return {
    hasMore: () => next < items.length,
    next() {
      const chunk = items.slice(next, next + groupSize);
      next += chunk.length;
      return chunk.length === 0 ? Promise.resolve([]) : claimSurely(chunk, null);
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
