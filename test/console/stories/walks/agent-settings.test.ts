import { describeOffers } from './offers.ts';
import { SETTINGS } from './console.ts';

describeOffers('agent', SETTINGS, 5);
