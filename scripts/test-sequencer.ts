import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The share of a run after which a waiting test no longer starts: it would be left over at the end. */
const LATEST_START = 0.75;

/** The files that take longest. One that begins late runs on alone at the end, and a fresh clone knows no durations. */
const LONGEST = ['security/id-swap', 'security/bad-input', 'crm/handoffs/hubspot', 'crm/salesforce', 'sla/year'];

/** Spreads the tests of faults/, waiting for servers to return, among those that compute: together they leave the cores idle. */
export class Interleaved extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = sorted.filter(isWaiting);
    const computing = sorted.filter((file) => !isWaiting(file));
    computing.sort((one, other) => Number(isLongest(other)) - Number(isLongest(one)));
    const ranked = (ordered: TestSpecification[], latest: number) => {
      return ordered.map((file, nth) => ({ file, rank: (nth / ordered.length) * latest }));
    };
    return [...ranked(waiting, LATEST_START), ...ranked(computing, 1)]
      .sort((one, other) => one.rank - other.rank)
      .map(({ file }) => file);
  }
}

const isWaiting = ({ moduleId }: TestSpecification) => moduleId.includes('/faults/');
const isLongest = ({ moduleId }: TestSpecification) => LONGEST.some((file) => moduleId.endsWith(`${file}.test.ts`));
