import type { WorkflowContract } from '../temporal/contract.ts';

export interface LoginMailRequest {
  orgId: string;
  userId: number;
  requestId: string;
  /** The path to open once signed in. */
  next: string | null;
  /** Whether somebody else has added the member and asks for the mail. */
  isInvite?: boolean;
}

/** Sends a login link to a member who asked for it. */
export const SEND_LOGIN_LINK: WorkflowContract<LoginMailRequest> = {
  type: 'sendLoginLink',
  taskQueue: 'interactive',
  workflowId: ({ requestId }) => `login-link/${requestId}`,
};
