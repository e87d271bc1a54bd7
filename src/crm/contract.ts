import type { WorkflowContract } from '../temporal/contract.ts';

export interface ThreadRef {
  orgId: string;
  threadId: string;
}

export interface TicketRef {
  orgId: string;
  /** The id of a ticket, or `notes`: the ticket of a note is unknown until the note is read. */
  ticketId: string;
}

export interface SessionRef {
  orgId: string;
  sessionId: string;
}

/** One of several runs about a session, counted from 1. */
export interface SessionRun extends SessionRef {
  n: number;
}

/** Processes the events of a conversation in the CRM in order, and posts new messages of its session there. */
export const SYNC_CRM_THREAD: WorkflowContract<ThreadRef> = {
  type: 'syncCrmThread',
  taskQueue: 'interactive',
  workflowId: ({ orgId, threadId }) => `crm-thread/${orgId}/${threadId}`,
};

/** Processes the events of a ticket in the CRM in order. */
export const SYNC_CRM_TICKET: WorkflowContract<TicketRef> = {
  type: 'syncCrmTicket',
  taskQueue: 'interactive',
  workflowId: ({ orgId, ticketId }) => `crm-ticket/${orgId}/${ticketId}`,
};

/** Hands off a session to the ticketing system. */
export const HAND_OFF_SESSION: WorkflowContract<SessionRun> = {
  type: 'handOffSession',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, n }) => `handoff/${sessionId}/${n}`,
};

/** Closes the ticket of a session after its nth resolution. */
export const CLOSE_TICKET_LATER: WorkflowContract<SessionRun> = {
  type: 'closeTicketLater',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, n }) => `ticket-close/${sessionId}/${n}`,
};

/** Reopens the ticket of a reopened session. */
export const REOPEN_TICKET_LATER: WorkflowContract<SessionRef> = {
  type: 'reopenTicketLater',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `ticket-reopen/${sessionId}`,
};

/** Fetches the agents' messages from Salesforce, and sends the contact's messages there. */
export const SYNC_MIAW: WorkflowContract<SessionRef> = {
  type: 'syncMiaw',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `miaw-sync/${sessionId}`,
};

export interface AccountRef {
  orgId: string;
  /** The version of the connection's settings: the time of their last change, in epoch milliseconds. */
  asOf: number;
}

/** Asks the CRM for the account of an org's credentials. */
export const CONFIRM_CRM_ACCOUNT: WorkflowContract<AccountRef> = {
  type: 'confirmCrmAccount',
  taskQueue: 'interactive',
  workflowId: ({ orgId, asOf }) => `crm-account/${orgId}/${asOf}`,
};
