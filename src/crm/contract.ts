import type { WorkflowContract } from '../temporal/contract.ts';

export interface ThreadRef {
  orgId: string;
  threadId: string;
}

export interface TicketRef {
  orgId: string;
  /** A ticket's id, or `notes`: which ticket a note is on shows only when it is read. */
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

/** Works off what happened in a conversation of the CRM, in order, and posts what is said in its session. */
export const SYNC_CRM_THREAD: WorkflowContract<ThreadRef> = {
  type: 'syncCrmThread',
  taskQueue: 'interactive',
  workflowId: ({ orgId, threadId }) => `crm-thread/${orgId}/${threadId}`,
};

/** Works off what happened to a ticket of the CRM, in order. */
export const SYNC_CRM_TICKET: WorkflowContract<TicketRef> = {
  type: 'syncCrmTicket',
  taskQueue: 'interactive',
  workflowId: ({ orgId, ticketId }) => `crm-ticket/${orgId}/${ticketId}`,
};

/** Brings a session that was handed off to where people work on it. */
export const HAND_OFF_SESSION: WorkflowContract<SessionRun> = {
  type: 'handOffSession',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, n }) => `handoff/${sessionId}/${n}`,
};

/** Closes the ticket of a session that was resolved for the nth time. */
export const CLOSE_TICKET_LATER: WorkflowContract<SessionRun> = {
  type: 'closeTicketLater',
  taskQueue: 'interactive',
  workflowId: ({ sessionId, n }) => `ticket-close/${sessionId}/${n}`,
};

/** Fetches what people say in Salesforce, and sends on what the contact says. */
export const SYNC_MIAW: WorkflowContract<SessionRef> = {
  type: 'syncMiaw',
  taskQueue: 'interactive',
  workflowId: ({ sessionId }) => `miaw-sync/${sessionId}`,
};

export interface AccountRef {
  orgId: string;
  /** Of which settings of the connection, in epoch milliseconds. */
  asOf: number;
}

/** Asks the CRM of which account an org's credentials are. */
export const CONFIRM_CRM_ACCOUNT: WorkflowContract<AccountRef> = {
  type: 'confirmCrmAccount',
  taskQueue: 'interactive',
  workflowId: ({ orgId, asOf }) => `crm-account/${orgId}/${asOf}`,
};
