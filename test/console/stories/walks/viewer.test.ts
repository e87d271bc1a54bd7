import { DAILY, MESSAGES } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('viewer', [...DAILY, ...MESSAGES], 10);
