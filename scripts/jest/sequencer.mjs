import { sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Starts with the tests of faults/: they wait the longest, and none of them is left for the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const [slow, others] = [true, false].map((is) => {
      return super.sort(tests.filter(({ path }) => path.includes(`${sep}faults${sep}`) === is));
    });
    return [...slow, ...others];
  }
}
