import { type AssignmentActivityDeps, createAssignmentActivities } from './assignment.ts';
import { createInboundEmailActivities, type InboundEmailActivityDeps } from './inbound-emails.ts';
import { createLookUpActivities, type LookUpActivityDeps } from './look-ups.ts';
import { createRequestedActivities, type RequestedActivityDeps } from './requested.ts';
import { createSequenceActivities, type SequenceActivityDeps } from './sequences.ts';
import { createSlaActivities, type SlaActivityDeps } from './sla.ts';

export type ActivityDeps = AssignmentActivityDeps &
  SequenceActivityDeps &
  RequestedActivityDeps &
  LookUpActivityDeps &
  InboundEmailActivityDeps &
  SlaActivityDeps;

/** All activities, closed over what they need of the outside. */
export const createActivities = (deps: ActivityDeps) => ({
  ...createAssignmentActivities(deps),
  ...createSequenceActivities(deps),
  ...createSlaActivities(deps),
  ...createRequestedActivities(deps),
  ...createLookUpActivities(deps),
  ...createInboundEmailActivities(deps),
});
