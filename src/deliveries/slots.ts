import type { EmailSender } from '../providers/email.ts';

/** The sends that a sender can have under way, shared by all batches of this process, first come, first served. */
export interface Slots {
  take(count: number): Promise<void>;
  giveBack(count: number): void;
}

const slotsOfSenders = new WeakMap<EmailSender, Slots>();

export function slotsOf(sender: EmailSender): Slots {
  const known = slotsOfSenders.get(sender);
  if (known !== undefined) return known;
  const slots = createSlots(sender.concurrency);
  slotsOfSenders.set(sender, slots);
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
