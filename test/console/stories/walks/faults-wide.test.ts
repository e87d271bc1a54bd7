import { describeFaults } from './faults.ts';
import { DAILY, MESSAGES } from './console.ts';

describeFaults(1280, [...DAILY, ...MESSAGES]);
