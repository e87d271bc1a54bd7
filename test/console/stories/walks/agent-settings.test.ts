import { SETTINGS } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('agent', SETTINGS, 5);
