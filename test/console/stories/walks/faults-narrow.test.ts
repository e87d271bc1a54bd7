import { DAILY, MESSAGES } from './console.ts';
import { describeFaults } from './faults.ts';

describeFaults(380, [...DAILY, ...MESSAGES]);
