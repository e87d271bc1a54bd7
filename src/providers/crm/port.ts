/** A part of a handoff, in the terms of the external system. */
export type HandoffPart = 'contact' | 'ticket' | 'comment' | 'conversation';

/** The data about a session handed off to agents in the external system. */
export interface HandoffFacts {
  sessionId: string;
  ticketNumber: number;
  /** Counts the handoffs of the session from 1. */
  handoffNumber: number;
  subject: string;
  summary: string;
  reason: string | null;
  sentiment: string | null;
  /** ISO 639-1. */
  language: string | null;
  /** The session's page for agents. */
  sessionUrl: string;
  contact: { name: string | null; email: string | null; phone: string | null };
  /** custom_data and editable_custom_data of the session. */
  properties: Record<string, string>;
  /** The external conversation the session started from, if any. */
  threadId: string | null;
  /** Whether the session had its ticket before this handoff, which it therefore does not describe. */
  hasEarlierTicket: boolean;
  /** The external ids of completed parts. */
  externalIds: Partial<Record<HandoffPart, string>>;
}

/** The known facts about earlier attempts. */
export interface PriorAttempts {
  /** Whether it may exist already. If so, it is searched for before it is created. */
  mayExist: boolean;
  /** There was no attempt before this time. */
  since: Date;
  /** The time of the latest attempt. If absent, the only attempt was at `since`. */
  latest?: Date;
  /** Whether the contact became known after the first attempt, which then made a ticket of nobody. */
  hasNewContact?: boolean;
  /** External ids already assigned to other things of ours. */
  taken?: string[];
}

export type PartOutcome = { state: 'done'; externalId: string } | { state: 'skipped'; reason: string };

/** A message relayed to the external system. */
export interface RelayedMessage {
  /** Our own id of it. */
  id: string;
  /** The id of the external conversation. */
  conversationId: string;
  text: string;
  /** A reply that the AI proposes to the agents there. No customer sees it. */
  isDraft?: boolean;
  attachments: { name: string; url: string }[];
}

/**
 * An external system used by agents to continue handed-off sessions. Never retries by itself. Failures are
 * ProviderErrors: one with `mayHaveArrived` may have had its effect.
 */
export interface Crm {
  provider: 'hubspot' | 'salesforce';
  /** The parts of a handoff in their order. A failed optional part does not stop the others. */
  parts: readonly { name: HandoffPart; isOptional: boolean }[];
  doPart(part: HandoffPart, facts: HandoffFacts, attempt: PriorAttempts): Promise<PartOutcome>;
  /** Posts a message to the conversation, once. Returns its external id. */
  postMessage(message: RelayedMessage, attempt: PriorAttempts): Promise<{ externalId: string }>;
}
