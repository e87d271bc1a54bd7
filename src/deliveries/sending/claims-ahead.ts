import { elementAt } from '../../collections/checked-access.ts';
import type { OutgoingMessage } from './message-sender.ts';

/** The most sends claimed by one statement. */
const MAX_CLAIM = 100;
/** A claim is sent in about this time: what changes meanwhile, such as an opt-out, is not looked at again. */
const CLAIM_MS = 250;

/** A delivery claimed for sending, with its message. */
export interface ClaimedMessage {
  attempts: number;
  message: OutgoingMessage;
  /** Its turn among the items, if claimed ahead. */
  position: number;
}

/** Begins sends that were claimed ahead: those up to a position. Returns false if they, and all later ones, must not begin. */
export type BeginClaimed = (through: { position: number; isFirst: boolean }) => Promise<boolean>;

interface AheadOptions<Item> {
  items: Item[];
  /** The smallest claim. */
  minSize: number;
  claim(chunk: Item[], firstPosition: number): Promise<ClaimedMessage[]>;
  begin: BeginClaimed;
}

/** Hands out claimed sends in groups. */
export interface ClaimedGroups {
  hasMore(): boolean;
  /** Returns the next sends, at most `size`, which begin now. It is empty if nothing is left, or the rest must not begin. */
  next(size: number): Promise<ClaimedMessage[]>;
  /** Returns what was claimed and has not begun. Called once no group is asked for. */
  rest(): Promise<ClaimedMessage[]>;
}

/**
 * Claims sends in larger sets than begin together, one set ahead: as many as are sent in a moment. A send begins once that
 * is recorded. So the outcome of few is unknown after a crash, and the others are sent later.
 */
export function claimsAhead<Item>({ items, minSize, claim, begin }: AheadOptions<Item>): ClaimedGroups {
  const queue: ClaimedMessage[] = [];
  let claimSize = minSize;
  let claimedAt: number | undefined;
  let next = 0;
  let isFirst = true;
  let isEnded = false;
  let claiming: Promise<void> | undefined;

  const claimNext = async () => {
    const now = performance.now();
    if (claimedAt !== undefined) claimSize = nextSize(claimSize, now - claimedAt, minSize);
    claimedAt = now;
    const firstPosition = next;
    next += claimSize;
    queue.push(...(await claim(items.slice(firstPosition, next), firstPosition)));
  };
  const claimOnce = () => {
    claiming ??= claimNext().finally(() => {
      claiming = undefined;
    });
    claiming.catch(() => undefined); // rejects for those who wait for it
    return claiming;
  };
  const fill = async () => {
    while (queue.length === 0 && (claiming !== undefined || next < items.length)) await claimOnce();
    if (queue.length < claimSize && next < items.length) void claimOnce();
  };

  return {
    hasMore: () => !isEnded && (queue.length > 0 || claiming !== undefined || next < items.length),
    async next(size) {
      await fill();
      const group = isEnded ? [] : queue.splice(0, size);
      if (group.length === 0) return [];
      if (await begin({ position: elementAt(group, -1).position, isFirst })) {
        isFirst = false;
        return group;
      }
      isEnded = true;
      queue.unshift(...group);
      return [];
    },
    async rest() {
      isEnded = true;
      await claiming;
      return queue.splice(0);
    },
  };
}

/** Returns the size of the next claim, twice the former one while that is sent quickly. */
function nextSize(size: number, tookMs: number, minSize: number): number {
  if (tookMs < CLAIM_MS) return Math.min(size * 2, Math.max(MAX_CLAIM, minSize));
  return Math.max(Math.floor(size / 2), minSize);
}
