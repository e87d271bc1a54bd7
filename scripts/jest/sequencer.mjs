import { sep } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** Begins with the tests that wait most, so that none of them is left over at the end. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const [slow, others] = [true, false].map((is) => {
      return super.sort(tests.filter(({ path }) => path.includes(`${sep}faults${sep}`) === is));
    });
    return [...slow, ...others];
  }
}
