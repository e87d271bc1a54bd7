import { createRequire } from 'node:module';
import type sequencer from '@jest/test-sequencer';

// Required, because its types describe the CommonJS build, and an import takes another one.
const { default: Sequencer }: typeof sequencer = createRequire(import.meta.url)('@jest/test-sequencer');

type Test = Parameters<InstanceType<typeof Sequencer>['sort']>[0][number];

/** The share of a run after which a waiting test no longer starts: it would be left over at the end. */
const LATEST_START = 0.75;

/** The files that take longest. One that begins late runs on alone at the end, and a fresh clone knows no durations. */
const LONGEST = ['security/id-swap', 'crm/handoffs/hubspot', 'crm/salesforce'];

/** Spreads the tests of faults/, waiting for servers to return, among those that compute: together they leave the cores idle. */
export default class Interleaved extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const sorted = await super.sort(tests);
    const waiting = sorted.filter(isWaiting);
    const computing = sorted.filter((test) => !isWaiting(test));
    computing.sort((one, other) => Number(isLongest(other)) - Number(isLongest(one)));
    const ranked = (ordered: Test[], latest: number) => {
      return ordered.map((test, nth) => ({ test, rank: (nth / ordered.length) * latest }));
    };
    return [...ranked(waiting, LATEST_START), ...ranked(computing, 1)]
      .sort((one, other) => one.rank - other.rank)
      .map(({ test }) => test);
  }
}

const isWaiting = ({ path }: Test) => path.includes('/faults/');
const isLongest = ({ path }: Test) => LONGEST.some((file) => path.endsWith(`${file}.test.ts`));
