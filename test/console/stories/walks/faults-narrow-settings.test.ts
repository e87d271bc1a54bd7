import { describeFaults } from './faults.ts';
import { ANSWERS, SETTINGS } from './console.ts';

describeFaults(380, [...ANSWERS, ...SETTINGS]);
