import { MESSAGES } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('agent', MESSAGES, 10);
