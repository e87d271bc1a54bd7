import { describeFaults } from './faults.ts';
import { DAILY, MESSAGES } from './console.ts';

describeFaults(380, [...DAILY, ...MESSAGES]);
