import type { WorkflowContract } from '../temporal/contract.ts';

export interface SendEmailsInput {
  orgId: string;
  requestId: string;
  /** Time from the request to its sends. */
  delayMs: number;
}

export const SEND_EMAILS: WorkflowContract<SendEmailsInput> = {
  type: 'sendEmails',
  taskQueue: 'interactive',
  workflowId: ({ requestId }) => `email/${requestId}`,
};

/** What a batch of an e-mail request did. */
export interface EmailProgress {
  hasMore: boolean;
  /** Time until a postponed e-mail is tried again, or null when all are settled. */
  nextDueInMs: number | null;
}
