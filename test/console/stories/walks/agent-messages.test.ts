import { describeOffers } from './offers.ts';
import { MESSAGES } from './console.ts';

describeOffers('agent', MESSAGES, 10);
