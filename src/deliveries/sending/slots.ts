import type { MessageSender } from './message-sender.ts';

/** Limits a pool's concurrent sends over all batches of this process: first come, first served. */
export interface SendSlots {
  acquire(count: number): Promise<void>;
  release(count: number): void;
}

const slotsByPool = new WeakMap<object, SendSlots>();

export function slotsOf({ pool, concurrency }: Pick<MessageSender, 'pool' | 'concurrency'>): SendSlots {
  const cached = slotsByPool.get(pool);
  if (cached !== undefined) return cached;
  const slots = createSendSlots(concurrency);
  slotsByPool.set(pool, slots);
  return slots;
}

function createSendSlots(limit: number): SendSlots {
  let free = limit;
  const waiting: { count: number; go: () => void }[] = [];
  const admit = () => {
    for (let first = waiting[0]; first !== undefined && first.count <= free; first = waiting[0]) {
      waiting.shift();
      free -= first.count;
      first.go();
    }
  };
  return {
    acquire: (count) =>
      new Promise((go) => {
        waiting.push({ count, go });
        admit();
      }),
    release(count) {
      free += count;
      admit();
    },
  };
}
