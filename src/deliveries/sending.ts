import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseAway } from '../db/failures.ts';
import { ProviderError } from '../errors.ts';
import type { EmailMessage, EmailSender, SendOutcome } from '../providers/email.ts';
import { putOff, type Settlement, settled } from './rules.ts';
import { slotsOf } from './slots.ts';

const LANES = 2;
const DATABASE_RETRY_MS = 500;
const SETTLE_LIMIT_MS = 600_000;

/** A delivery that the ledger says is being sent now, and what goes out for it. */
export interface Sending {
  deliveryId: string;
  attempts: number;
  message: EmailMessage;
}

export interface LaneWork<Item> {
  items: Item[];
  sender: EmailSender;
  /** Writes down that these are being sent, and gives those that may go. Again for the same chunk, it gives the same. */
  begin(chunk: Item[]): Promise<Sending[]>;
  /** Writes down what became of them. Once more, it changes nothing. */
  settle(results: [deliveryId: string, Settlement][]): Promise<void>;
  /** Asked before each chunk. */
  isStopped(): boolean;
}

/**
 * Sends items in chunks, two chunks side by side, so that claiming and marking overlap with sending. No more is ever marked as being
 * sent than the sender can have under way, over all batches of this process. A provider that as a whole takes nothing puts its chunk
 * back and throws a ProviderError. While the database is away it waits: what was sent is known only here. It returns or throws when
 * nothing is under way any more.
 */
export async function sendInLanes<Item>(work: LaneWork<Item>): Promise<void> {
  const { items, sender, begin, settle, isStopped } = work;
  const chunkSize = Math.max(1, Math.floor(sender.concurrency / LANES));
  let next = 0;
  let trouble: Trouble | undefined;
  let hasFailed = false;
  const slots = slotsOf(sender);

  const sendChunk = async (chunk: Item[]) => {
    const sendings = await onceDatabaseIsBack(isStopped, () => begin(chunk));
    const outcomes = await Promise.all(sendings.map(({ message }) => sender.send(message)));
    trouble ??= outcomes.map(troubleOf).find((found) => found !== undefined);
    const results = sendings.map(({ deliveryId, attempts }, i): [string, Settlement] => [
      deliveryId,
      settlementOf(outcomes[i] as SendOutcome, attempts),
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
    throw new SenderTrouble(trouble.reason, trouble.isConfiguration);
  }
}

async function onceDatabaseIsBack<T>(isGivenUp: () => boolean, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || isGivenUp()) throw error;
      await sleep(DATABASE_RETRY_MS);
    }
  }
}

/** No message of this sender goes out now. `isConfiguration`: nor later, until its settings are mended. */
export class SenderTrouble extends ProviderError {
  readonly isConfiguration: boolean;

  constructor(reason: string, isConfiguration: boolean) {
    super(`The mail server takes nothing: ${reason}`, { transient: true });
    this.name = 'SenderTrouble';
    this.isConfiguration = isConfiguration;
  }
}

interface Trouble {
  reason: string;
  isConfiguration: boolean;
}

function troubleOf(outcome: SendOutcome): Trouble | undefined {
  if (outcome.kind === 'retry' && outcome.scope === 'provider')
    return { reason: outcome.reason, isConfiguration: false };
  if (outcome.kind === 'rejected' && outcome.because === 'config')
    return { reason: outcome.reason, isConfiguration: true };
  return undefined;
}

function settlementOf(outcome: SendOutcome, attempts: number): Settlement {
  switch (outcome.kind) {
    case 'accepted':
      return settled('accepted', null, outcome.providerId);
    case 'unknown':
      return settled('unknown', outcome.reason);
    case 'retry':
      return outcome.scope === 'recipient'
        ? putOff(attempts, outcome.reason)
        : { ...settled('queued', outcome.reason), delayMs: 0 };
    case 'rejected':
      if (outcome.because === 'config') return { ...settled('queued', outcome.reason), delayMs: 0 };
      return settled(outcome.because === 'suppress' ? 'bounced' : 'failed', outcome.reason);
  }
}
