import type { WorkflowContract } from '../../temporal/contract.ts';

export interface DeletedMember {
  orgId: string;
  userId: number;
}

/** Clears the sessions of a deleted member, and then deletes the membership. */
export const DELETE_MEMBER: WorkflowContract<DeletedMember> = {
  type: 'deleteMember',
  taskQueue: 'bulk',
  workflowId: ({ orgId, userId }) => `member-deletion/${orgId}/${userId}`,
};
