import type { WorkflowContract } from '../temporal/contract.ts';

/** A channel on which an org may write to a contact first, and whose addresses may opt out. */
export type ProactiveChannel = 'email' | 'sms' | 'whatsapp' | 'voice';

export type Channel = ProactiveChannel | 'messenger' | 'instagram' | 'slack';

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

/** The progress of one batch of requested sends. */
export interface RequestProgress {
  hasMore: boolean;
  /** Time until the next deferred send is due, or null when all are settled. */
  nextDueInMs: number | null;
}

export interface MessageRef {
  orgId: string;
  deliveryId: string;
}

/** Sends one requested message: a WhatsApp template, a call, a test of a step, or a reply in a session. */
export const SEND_MESSAGE: WorkflowContract<MessageRef> = {
  type: 'sendMessage',
  taskQueue: 'interactive',
  workflowId: ({ deliveryId }) => `message/${deliveryId}`,
};

export interface ReconcileSendsInput {
  orgId: string;
  /** The number of outcomes found before the workflow continued as new. */
  found?: number;
}

/** Asks providers for the outcome of an org's sends without a known outcome. */
export const RECONCILE_SENDS: WorkflowContract<ReconcileSendsInput> = {
  type: 'reconcileSends',
  taskQueue: 'interactive',
  workflowId: ({ orgId }) => `reconciliation/${orgId}`,
};

/** The result of one reconciliation round. */
export interface ReconciliationProgress {
  found: number;
  /** Time until the next round, or null when nothing is left to reconcile. */
  nextInMs: number | null;
}

export interface InboundEmailRef {
  orgId: string;
  inboundEmailId: string;
}

/**
 * The classification of an inbound e-mail. `bounced` suppresses the address on the channel; `failed` means only this
 * one e-mail was not delivered. `mail` came to an inbox, and `loop` is mail of the org itself that came back.
 */
export type InboundEmailResult =
  | 'reply'
  | 'mail'
  | 'loop'
  | 'bounced'
  | 'failed'
  | 'delayed'
  | 'delivery report'
  | 'automatic reply'
  | 'unreadable bounce'
  | 'unreadable';

export interface InboundMessageRef {
  orgId: string;
  inboundMessageId: string;
}

/** What is left of a message's files. */
export interface FilesProgress {
  /** The time until the late ones are tried again. Null: none are left. */
  nextInMs: number | null;
}

/** Fetches the files of a contact's message, and adds it to its session. */
export const RECEIVE_INBOUND_FILES: WorkflowContract<InboundMessageRef> = {
  type: 'receiveInboundFiles',
  taskQueue: 'interactive',
  workflowId: ({ inboundMessageId }) => `inbound-files/${inboundMessageId}`,
};

/** Processes an inbound e-mail to an inbox, or about the delivery named by its recipient address. */
export const RECEIVE_INBOUND_EMAIL: WorkflowContract<InboundEmailRef> = {
  type: 'receiveInboundEmail',
  taskQueue: 'interactive',
  workflowId: ({ inboundEmailId }) => `inbound-email/${inboundEmailId}`,
};
