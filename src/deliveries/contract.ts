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

/** What a batch of requested sends did. */
export interface RequestProgress {
  hasMore: boolean;
  /** Time until a postponed send is tried again, or null when all are settled. */
  nextDueInMs: number | null;
}

export interface MessageRef {
  orgId: string;
  deliveryId: string;
}

/** One message that a request asked for: a WhatsApp template, a call, a test of a step, an answer in a session. */
export const SEND_MESSAGE: WorkflowContract<MessageRef> = {
  type: 'sendMessage',
  taskQueue: 'interactive',
  workflowId: ({ deliveryId }) => `message/${deliveryId}`,
};

export interface ReconcileSendsInput {
  orgId: string;
}

/** Asks providers what became of an org's sends whose answer was lost. */
export const RECONCILE_SENDS: WorkflowContract<ReconcileSendsInput> = {
  type: 'reconcileSends',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `reconciliation/${orgId}`,
};

/** What a round of asking found. */
export interface ReconciliationProgress {
  found: number;
  /** Time until providers are asked again, or null when nothing is left to ask for. */
  nextInMs: number | null;
}

export interface InboundEmailRef {
  orgId: string;
  inboundEmailId: string;
}

/** What a mail that came in was. `bounced` takes the address off the channel; `failed` says that this one mail did not arrive. */
export type InboundEmailResult =
  | 'reply'
  | 'bounced'
  | 'failed'
  | 'delayed'
  | 'delivery report'
  | 'automatic reply'
  | 'unreadable bounce'
  | 'unreadable';

/** Takes what a mail that came in tells about the delivery it was addressed for. */
export const RECEIVE_INBOUND_EMAIL: WorkflowContract<InboundEmailRef> = {
  type: 'receiveInboundEmail',
  taskQueue: 'interactive',
  workflowId: ({ inboundEmailId }) => `inbound-email/${inboundEmailId}`,
};
