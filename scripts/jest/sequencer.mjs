import { sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** The share of a run after which a waiting test no longer starts: it would be left over at the end. */
const LATEST_START = 0.75;

/** The files that take longest. One that begins late runs on alone at the end, and a fresh clone knows no durations. */
const LONGEST = ['security/id-swap', 'security/bad-input', 'crm/handoffs/hubspot', 'crm/salesforce', 'sla/year'];

/** Spreads the tests of faults/, waiting for servers to return, among those that compute: together they leave the cores idle. */
export default class Interleaved extends Sequencer {
  sort(tests) {
    const [waiting, computing] = [true, false].map((is) => {
      return super.sort(tests.filter(({ path }) => path.includes(`${sep}faults${sep}`) === is));
    });
    computing.sort((one, other) => isLongest(other) - isLongest(one));
    const ranked = (sorted, latest) => sorted.map((test, nth) => ({ test, rank: (nth / sorted.length) * latest }));
    return [...ranked(waiting, LATEST_START), ...ranked(computing, 1)]
      .sort((one, other) => one.rank - other.rank)
      .map(({ test }) => test);
  }
}

const isLongest = ({ path }) => Number(LONGEST.some((file) => path.endsWith(`${file.replaceAll('/', sep)}.test.ts`)));
