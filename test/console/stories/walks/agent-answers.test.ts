import { ANSWERS } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('agent', ANSWERS, 10);
