import { unavailable } from '../errors.ts';
import { commonRequest, currentIds, runAfterRequest } from '../processes/current-work.ts';

export interface BatchingLimits {
  /** The largest number of batches of one key processed at the same time. */
  maxConcurrent: number;
  /** The largest number of items of a batch. */
  maxBatchSize: number;
  /** The largest number of items of one key waiting for the next batch. */
  maxWaiting: number;
}

interface PendingItem<Item, Result> {
  item: Item;
  requestId: string | undefined;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

interface Queue<Item, Result> {
  running: number;
  pending: PendingItem<Item, Result>[];
}

/**
 * Processes items in batches per key, such as an org or an address. Items arriving while their key is busy wait, and are
 * processed together in order of arrival. Heavy traffic of one key makes its batches larger, and uses no connections of
 * others. An item never joins a batch already started. A result may be a promise of its own. Throws unavailable if too
 * many items wait. Counts within this process only.
 */
export function batchByKey<Item, Result>(
  limits: BatchingLimits,
  work: (key: string, items: Item[]) => Promise<(Result | Promise<Result>)[]>,
): (key: string, item: Item) => Promise<Result> {
  const queues = new Map<string, Queue<Item, Result>>();

  const drain = async (key: string, queue: Queue<Item, Result>) => {
    queue.running++;
    while (queue.pending.length > 0) {
      const group = queue.pending.splice(0, limits.maxBatchSize);
      try {
        const items = group.map(({ item }) => item);
        const request = commonRequest(group.map(({ requestId }) => requestId));
        const results = await runAfterRequest(request, () => work(key, items));
        for (const [nth, { resolve }] of group.entries()) resolve(results[nth] as Result | Promise<Result>);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    if (--queue.running === 0) queues.delete(key);
  };

  return (key, item) =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { running: 0, pending: [] };
      queues.set(key, queue);
      if (queue.pending.length >= limits.maxWaiting)
        return reject(unavailable('Too many requests are in progress: try again soon'));
      queue.pending.push({ item, requestId: currentIds().requestId, resolve, reject });
      if (queue.running < limits.maxConcurrent) void drain(key, queue);
    });
}
