import type { WorkflowContract } from '../../temporal/contract.ts';

export interface DeletedTeam {
  orgId: string;
  teamId: string;
}

/** Clears the sessions of a deleted team, and then deletes the team. */
export const DELETE_TEAM: WorkflowContract<DeletedTeam> = {
  type: 'deleteTeam',
  taskQueue: 'bulk',
  workflowId: ({ teamId }) => `team-deletion/${teamId}`,
};
