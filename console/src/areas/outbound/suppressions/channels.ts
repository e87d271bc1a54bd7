import type { Schemas } from '../../../api/client';
import { CHANNELS } from '../words';

/** The channels whose addresses can be suppressed, with their names. */
export const SUPPRESSED_CHANNELS = (['email', 'sms', 'whatsapp', 'voice'] as const).map(
  (channel): [Schemas['Suppression']['channel'], string] => [channel, CHANNELS[channel]],
);
