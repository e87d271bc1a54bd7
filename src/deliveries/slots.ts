import type { Outlet } from './outlet.ts';

/** The sends that a pool can have under way, shared by all batches of this process, first come, first served. */
export interface Slots {
  take(count: number): Promise<void>;
  giveBack(count: number): void;
}

const slotsOfPools = new WeakMap<object, Slots>();

export function slotsOf({ pool, concurrency }: Pick<Outlet, 'pool' | 'concurrency'>): Slots {
  const known = slotsOfPools.get(pool);
  if (known !== undefined) return known;
  const slots = createSlots(concurrency);
  slotsOfPools.set(pool, slots);
  return slots;
}

function createSlots(limit: number): Slots {
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
    take: (count) =>
      new Promise((go) => {
        waiting.push({ count, go });
        admit();
      }),
    giveBack(count) {
      free += count;
      admit();
    },
  };
}
