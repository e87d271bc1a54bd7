import type { AssignmentInput, AssignmentProgress } from '../src/conversations/assignment/contract.ts';
import { assignDueBatch } from '../src/conversations/assignment/queues.service.ts';
import type { Db } from '../src/db/connect.ts';

export interface AssignmentActivityDeps {
  db: Db;
}

export type AssignmentActivities = ReturnType<typeof createAssignmentActivities>;

export const createAssignmentActivities = ({ db }: AssignmentActivityDeps) => ({
  /** Assigns a batch of waiting sessions to members. Running it twice assigns no session twice. */
  assignBatch: ({ orgId }: AssignmentInput): Promise<AssignmentProgress> => assignDueBatch(db, orgId),
});
