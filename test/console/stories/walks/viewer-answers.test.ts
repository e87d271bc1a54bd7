import { ANSWERS } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('viewer', ANSWERS, 5);
