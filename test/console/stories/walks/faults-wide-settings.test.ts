import { ANSWERS, SETTINGS } from './console.ts';
import { describeFaults } from './faults.ts';

describeFaults(1280, [...ANSWERS, ...SETTINGS]);
