import { DAILY } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('agent', DAILY, 20);
