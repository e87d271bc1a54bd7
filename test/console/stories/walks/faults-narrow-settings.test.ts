import { ANSWERS, SETTINGS } from './console.ts';
import { describeFaults } from './faults.ts';

describeFaults(380, [...ANSWERS, ...SETTINGS]);
