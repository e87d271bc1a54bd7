import { describeFaults } from './faults.ts';
import { ANSWERS, SETTINGS } from './console.ts';

describeFaults(1280, [...ANSWERS, ...SETTINGS]);
