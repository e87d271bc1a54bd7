import { createInboundEmailActivities, type InboundEmailActivityDeps } from './inbound-emails.ts';
import { createLookUpActivities, type LookUpActivityDeps } from './look-ups.ts';
import { createRequestedActivities, type RequestedActivityDeps } from './requested.ts';
import { createSequenceActivities, type SequenceActivityDeps } from './sequences.ts';

export type ActivityDeps = SequenceActivityDeps & RequestedActivityDeps & LookUpActivityDeps & InboundEmailActivityDeps;

/** All activities, closed over what they need of the outside. */
export const createActivities = (deps: ActivityDeps) => ({
  ...createSequenceActivities(deps),
  ...createRequestedActivities(deps),
  ...createLookUpActivities(deps),
  ...createInboundEmailActivities(deps),
});
