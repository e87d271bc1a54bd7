import { SETTINGS } from './console.ts';
import { describeOffers } from './offers.ts';

describeOffers('viewer', SETTINGS, 5);
