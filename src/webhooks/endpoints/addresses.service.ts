import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import type { Egress } from '../../providers/egress/egress.ts';

const MAX_LOOK_UP_MS = 5_000;

/** Returns why requests cannot go to an address, or undefined. Each request checks it again, as names can move. */
export async function problemOfAddress(egress: Pick<Egress, 'resolve'>, url: string): Promise<string | undefined> {
  const { hostname } = new URL(url);
  try {
    const resolved = egress.resolve(hostname).then(() => undefined);
    const late = sleep(MAX_LOOK_UP_MS, `The address of ${hostname} was not found in time`, { ref: false });
    return await Promise.race([resolved, late]);
  } catch (error) {
    return messageOf(error);
  }
}
