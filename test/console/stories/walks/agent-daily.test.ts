import { describeOffers } from './offers.ts';
import { DAILY } from './console.ts';

describeOffers('agent', DAILY, 20);
