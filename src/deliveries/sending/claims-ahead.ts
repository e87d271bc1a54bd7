import type { OutgoingMessage } from './message-sender.ts';

/** The most sends claimed by one statement. */
const MAX_CLAIM = 100;
/** A claim is sent in about this time: of what changes meanwhile, only what `begin` looks at counts. */
const CLAIM_MS = 250;

/** A delivery claimed for sending, with its message. */
export interface ClaimedMessage {
  attempts: number;
  message: OutgoingMessage;
  /** Its turn among the items, if claimed ahead. */
  position: number;
}

/**
 * Begins the next sends that were claimed ahead. Returns the deliveries that must not be sent as things are now: they are put
 * back. Undefined if none of them, and no later one, may begin.
 */
export type BeginClaimed = (group: ClaimedMessage[], turn: { isFirst: boolean }) => Promise<string[] | undefined>;

/** Sends that begin now, and those that have to be put back in their place. */
export interface BegunGroup {
  sendings: ClaimedMessage[];
  withheld: ClaimedMessage[];
}

const NOTHING: BegunGroup = { sendings: [], withheld: [] };

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
  /** Returns the next sends, at most `size`, which begin now. None if nothing is left, or the rest must not begin. */
  next(size: number): Promise<BegunGroup>;
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
      if (group.length === 0) return NOTHING;
      const withheld = await begin(group, { isFirst });
      if (withheld === undefined) {
        isEnded = true;
        queue.unshift(...group);
        return NOTHING;
      }
      isFirst = false;
      return groupOf(group, withheld);
    },
    async rest() {
      isEnded = true;
      await claiming;
      return queue.splice(0);
    },
  };
}

function groupOf(group: ClaimedMessage[], withheld: string[]): BegunGroup {
  if (withheld.length === 0) return { sendings: group, withheld: [] };
  const isWithheld = ({ message }: ClaimedMessage) => withheld.includes(message.deliveryId);
  return { sendings: group.filter((one) => !isWithheld(one)), withheld: group.filter(isWithheld) };
}

/** Returns the size of the next claim, twice the former one while that is sent quickly. */
function nextSize(size: number, tookMs: number, minSize: number): number {
  if (tookMs < CLAIM_MS) return Math.min(size * 2, Math.max(MAX_CLAIM, minSize));
  return Math.max(Math.floor(size / 2), minSize);
}
