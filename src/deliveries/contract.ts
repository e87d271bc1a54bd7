import type { WorkflowContract } from '../temporal/contract.ts';

export type Channel = 'email' | 'sms' | 'whatsapp' | 'voice';

export type DeliveryStatus =
  | 'held'
  | 'queued'
  | 'sending'
  | 'accepted'
  | 'sent'
  | 'delivered'
  | 'read'
  | 'failed'
  | 'bounced'
  | 'suppressed'
  | 'skipped'
  | 'unknown'
  | 'canceled';

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
