import { ANSWERS, DAILY, MESSAGES, SETTINGS } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('viewer', [...DAILY, ...MESSAGES, ...ANSWERS, ...SETTINGS], 10);
