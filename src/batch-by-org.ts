import { unavailable } from './errors.ts';

export interface BatchingLimits {
  /** The largest number of batches of one org processed at the same time. */
  maxConcurrent: number;
  /** The largest number of items of a batch. */
  maxBatchSize: number;
  /** The largest number of items of one org waiting for the next batch. */
  maxWaiting: number;
}

interface PendingItem<Item, Result> {
  item: Item;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface OrgQueue<Item, Result> {
  running: number;
  pending: PendingItem<Item, Result>[];
}

/**
 * Processes items in batches per org, or another owner. Items arriving while their org is busy wait, and are processed
 * together in order of arrival. Heavy traffic of one org makes its batches larger, and uses no other org's connections.
 * An item never joins a batch already started. A result may be a promise of its own. Throws unavailable if too many items
 * wait. Counts within this process only.
 */
export function batchByOrg<Item, Result>(
  limits: BatchingLimits,
  work: (orgId: string, items: Item[]) => Promise<(Result | Promise<Result>)[]>,
): (orgId: string, item: Item) => Promise<Result> {
  const lines = new Map<string, OrgQueue<Item, Result>>();

  const workOff = async (orgId: string, line: OrgQueue<Item, Result>) => {
    line.running++;
    while (line.pending.length > 0) {
      const group = line.pending.splice(0, limits.maxBatchSize);
      try {
        const items = group.map(({ item }) => item);
        const results = await work(orgId, items);
        for (const [nth, { resolve }] of group.entries()) resolve(results[nth] as Result | Promise<Result>);
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
