import { DAILY, MESSAGES } from './console.ts';
import { describeFaults } from './faults.ts';

describeFaults(1280, [...DAILY, ...MESSAGES]);
