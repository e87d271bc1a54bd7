import { unavailable } from '../../errors.ts';

export interface BatchingLimits {
  /** Groups of one org that are under way. */
  maxConcurrent: number;
  /** Items of a group. */
  maxBatchSize: number;
  /** Items of one org that may wait for the next group. */
  maxWaiting: number;
}

interface PendingItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface OrgQueue<Item, Result> {
  running: number;
  pending: PendingItem<Item, Result>[];
}

/**
 * Has what comes in for an org while it is busy done together, in the order in which it came: a flood makes groups larger, and takes no other
 * org's connections. An item never joins a group that has begun. Throws unavailable where too many wait. Counts within this process.
 */
export function batchByOrg<Item, Result>(
  limits: BatchingLimits,
  work: (orgId: string, items: Item[]) => Promise<Result[]>,
): (orgId: string, item: Item) => Promise<Result> {
  const lines = new Map<string, OrgQueue<Item, Result>>();

  const workOff = async (orgId: string, line: OrgQueue<Item, Result>) => {
    line.running++;
    while (line.pending.length > 0) {
      const group = line.pending.splice(0, limits.maxBatchSize);
      try {
        const items = group.map(({ item }) => item);
        const results = await work(orgId, items);
        for (const [nth, { resolve }] of group.entries()) resolve(results[nth] as Result);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    if (--line.running === 0) lines.delete(orgId);
  };

  return (orgId, item) =>
    new Promise((resolve, reject) => {
      const line = lines.get(orgId) ?? { running: 0, pending: [] };
      lines.set(orgId, line);
      if (line.pending.length >= limits.maxWaiting)
        return reject(unavailable('Too much is under way for this organization: try again soon'));
      line.pending.push({ item, resolve, reject });
      if (line.running < limits.maxConcurrent) void workOff(orgId, line);
    });
}
