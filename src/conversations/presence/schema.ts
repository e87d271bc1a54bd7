import { z } from 'zod';

const PresenceState = z.enum(['viewing', 'typing']);
export type PresenceState = z.infer<typeof PresenceState>;

export const SetPresence = z
  .object({ state: PresenceState })
  .meta({ id: 'SetPresence', examples: [{ state: 'viewing' }] });
