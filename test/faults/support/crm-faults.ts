import {
  errorAfter,
  type Fault,
  type ReceivedRequest,
  resetAfter,
  resetBefore,
  slow,
} from '../../support/fakes/faulty-server.ts';
import { limited, refuses } from '../../support/fakes/hubspot/server.ts';
import type { Random } from './random.ts';

/** Probabilities of responses, in this order. */
const CHANCES: [number, (random: Random) => Fault][] = [
  [0.03, () => limited('SECONDLY', { 'Retry-After': '1' })],
  [0.02, () => refuses(500, 'internal error')],
  [0.02, () => refuses(503, 'away')],
  [0.02, () => errorAfter(500)],
  [0.02, () => resetBefore],
  [0.03, () => resetAfter],
  [0.005, () => slow(11_000)],
];
const SLOW_CHANCE = 0.05;
const MOST_SLOW_MS = 1_500;

/** Each call is tried four times within some seconds. Four faults in a row would defer it by a quarter of an hour. */
const MOST_FAULTS = 3;
const WITHIN_MS = 60_000;

/** Returns random faults for requests, but never enough for one subject to fail all attempts. Counts the faults. */
export function randomFaults(random: Random) {
  const met = new Map<string, number[]>();
  let count = 0;

  const faultOf = ({ url }: ReceivedRequest): Fault | undefined => {
    const thing = /threads\/\d+/.exec(url.pathname)?.[0] ?? 'the account';
    const recent = (met.get(thing) ?? []).filter((at) => Date.now() - at < WITHIN_MS);
    let left = random();
    for (const [chance, make] of recent.length < MOST_FAULTS ? CHANCES : []) {
      if (left < chance) {
        met.set(thing, [...recent, Date.now()]);
        count++;
        return make(random);
      }
      left -= chance;
    }
    return left < SLOW_CHANCE ? slow(random() * MOST_SLOW_MS) : undefined;
  };

  return { faultOf, count: () => count };
}
