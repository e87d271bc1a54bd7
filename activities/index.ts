import { createEmailActivities, type EmailActivityDeps } from './emails.ts';
import { createSequenceActivities, type SequenceActivityDeps } from './sequences.ts';

export type ActivityDeps = SequenceActivityDeps & EmailActivityDeps;

/** All activities, closed over what they need of the outside. */
export const createActivities = (deps: ActivityDeps) => ({
  ...createSequenceActivities(deps),
  ...createEmailActivities(deps),
});
