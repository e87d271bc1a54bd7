import type { WorkflowContract } from '../../temporal/contract.ts';

export interface AssignmentInput {
  orgId: string;
}

/** Assigns waiting sessions in the queues of an org's teams to members, as soon as one is available. */
export const ASSIGN_WAITING_SESSIONS: WorkflowContract<AssignmentInput> = {
  type: 'assignWaitingSessions',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `assignment/${orgId}`,
};

/** The result of a batch. */
export interface AssignmentProgress {
  assigned: number;
  hasMore: boolean;
  /** Time until the next start of office hours of a team with waiting sessions. Null if time alone changes nothing. */
  opensInMs: number | null;
}
