import { describeOffers } from './offers.ts';
import { ANSWERS, MESSAGES, DAILY, SETTINGS } from './console.ts';

describeOffers('viewer', [...DAILY, ...MESSAGES, ...ANSWERS, ...SETTINGS], 10);
