import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway, isTooSlow } from '../db/failures.ts';
import { ProviderError } from '../errors.ts';
import type { SendOutcome } from '../providers/sending.ts';
import type { Envelope, Outlet } from './outlet.ts';
import { type Settlement, settlementOf } from './rules.ts';
import { slotsOf } from './slots.ts';

const LANES = 2;
const DATABASE_RETRY_MS = 500;
const SETTLE_LIMIT_MS = 600_000;
/** Longer than that nothing else of the org waits for one provider, whatever it says. */
const LONGEST_RETRY_MS = 60_000;

/** A delivery that the ledger says is being sent now, and what goes out for it. */
export interface Sending {
  attempts: number;
  envelope: Envelope;
}

export interface LaneWork<Item> {
  items: Item[];
  outlet: Outlet;
  /** Writes down that these are being sent, and gives those that may go. Again for the same chunk, it gives the same. */
  begin(chunk: Item[]): Promise<Sending[]>;
  /** Writes down what became of them. Once more, it changes nothing. */
  settle(results: [deliveryId: string, Settlement][]): Promise<void>;
  /** Asked before each chunk. */
  isStopped(): boolean;
}

/**
 * Sends items in chunks, two chunks side by side, so that claiming and marking overlap with sending. No more is ever marked as being
 * sent than the outlet can have under way, over all batches of this process. A provider that as a whole takes nothing puts its chunk
 * back and throws a ProviderError. While the database is away it waits: what was sent is known only here. It returns or throws when
 * nothing is under way any more.
 */
export async function sendInLanes<Item>(work: LaneWork<Item>): Promise<void> {
  const { items, outlet, begin, settle, isStopped } = work;
  const chunkSize = Math.max(1, Math.floor(outlet.concurrency / LANES));
  let next = 0;
  let trouble: Trouble | undefined;
  let hasFailed = false;
  const slots = slotsOf(outlet);

  const sendChunk = async (chunk: Item[]) => {
    const sendings = await onceDatabaseIsBack(isStopped, () => begin(chunk));
    const outcomes = await Promise.all(sendings.map(({ envelope }) => outlet.send(envelope).catch(notSent)));
    trouble ??= outcomes.map(troubleOf).find((found) => found !== undefined);
    const results = sendings.map(({ envelope, attempts }, i): [string, Settlement] => [
      envelope.deliveryId,
      settlementOf(envelope.channel, outcomes[i] as SendOutcome, attempts),
    ]);
    const giveUpAt = performance.now() + SETTLE_LIMIT_MS;
    await onceDatabaseIsBack(
      () => performance.now() > giveUpAt,
      () => settle(results),
    );
  };
  const lane = async () => {
    while (next < items.length && trouble === undefined && !hasFailed && !isStopped()) {
      const count = Math.min(chunkSize, items.length - next);
      const chunk = items.slice(next, next + count);
      next += count;
      await slots.take(count);
      try {
        if (trouble === undefined && !hasFailed && !isStopped()) await sendChunk(chunk);
      } finally {
        slots.giveBack(count);
      }
    }
  };

  const runs = Array.from({ length: LANES }, () =>
    lane().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await Promise.allSettled(runs);
  await Promise.all(runs);
  if (trouble !== undefined) {
    throw new SenderTrouble(trouble);
  }
}

/** A sender never throws, so nothing was sent: what the message is made of could not be read. */
const notSent = (error: unknown): SendOutcome => ({ kind: 'retry', scope: 'provider', reason: String(error) });

async function onceDatabaseIsBack<T>(isGivenUp: () => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(isDatabaseAway(error) || isTooSlow(error)) || isGivenUp()) throw error;
      await sleep(DATABASE_RETRY_MS);
    }
  }
}

/** No message of this org goes out on the channel now. `isConfiguration`: nor later, until its settings are mended. */
export class SenderTrouble extends ProviderError {
  readonly isConfiguration: boolean;
  /** The provider's own words. */
  readonly reason: string;

  constructor({ reason, isConfiguration, retryAfterMs }: Trouble) {
    super(`The provider takes nothing: ${reason}`, {
      transient: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, LONGEST_RETRY_MS) }),
    });
    this.name = 'SenderTrouble';
    this.isConfiguration = isConfiguration;
    this.reason = reason;
  }
}

interface Trouble {
  reason: string;
  isConfiguration: boolean;
  retryAfterMs?: number | undefined;
}

function troubleOf(outcome: SendOutcome): Trouble | undefined {
  if (outcome.kind === 'retry' && outcome.scope === 'provider')
    return { reason: outcome.reason, isConfiguration: false, retryAfterMs: outcome.retryAfterMs };
  if (outcome.kind === 'rejected' && outcome.because === 'config')
    return { reason: outcome.reason, isConfiguration: true };
  return undefined;
}
