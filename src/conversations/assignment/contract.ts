import type { WorkflowContract } from '../../temporal/contract.ts';

export interface AssignmentInput {
  orgId: string;
}

/** Gives the sessions that wait in the queues of an org's teams to members, as soon as one can take them. */
export const ASSIGN_WAITING_SESSIONS: WorkflowContract<AssignmentInput> = {
  type: 'assignWaitingSessions',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `assignment/${orgId}`,
};

/** What a batch gave. */
export interface AssignmentProgress {
  assigned: number;
  hasMore: boolean;
  /** Time until the office hours begin of a team that sessions wait for, or null where time alone changes nothing. */
  opensInMs: number | null;
}
