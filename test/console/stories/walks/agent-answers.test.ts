import { describeOffers } from './offers.ts';
import { ANSWERS } from './console.ts';

describeOffers('agent', ANSWERS, 10);
