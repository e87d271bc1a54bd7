import type { AssignmentInput, AssignmentProgress } from '../src/conversations/assignment/contract.ts';
import { assignWaitingBatch } from '../src/conversations/assignment/queues.service.ts';
import type { Db } from '../src/db/connect.ts';

export interface AssignmentActivityDeps {
  db: Db;
}

export type AssignmentActivities = ReturnType<typeof createAssignmentActivities>;

export const createAssignmentActivities = ({ db }: AssignmentActivityDeps) => ({
  /** Gives a batch of the sessions that wait to members. One that was given is not given again. */
  assignBatch: ({ orgId }: AssignmentInput): Promise<AssignmentProgress> => assignWaitingBatch(db, orgId),
});
