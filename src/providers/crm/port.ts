/** A part of a handoff, in the words of the other system. */
export type HandoffPart = 'contact' | 'ticket' | 'comment' | 'conversation';

/** What the other system is told about a session that people are to take on. */
export interface HandoffFacts {
  sessionId: string;
  ticketNumber: number;
  subject: string;
  summary: string;
  reason: string | null;
  sentiment: string | null;
  /** ISO 639-1. */
  language: string | null;
  /** Where people see the session. */
  sessionUrl: string;
  contact: { name: string | null; email: string | null; phone: string | null };
  /** custom_data and editable_custom_data of the session. */
  properties: Record<string, string>;
  /** The other system's conversation that the session came from. */
  threadId: string | null;
  /** What parts that are done have there. */
  externalIds: Partial<Record<HandoffPart, string>>;
}

/** What is known of earlier tries at the same thing. */
export interface PriorAttempts {
  /** Whether it may be there already. Then it is looked for before it is made. */
  mayExist: boolean;
  /** It was not tried before this moment. */
  since: Date;
  /** When it was last tried; once, at `since`, where absent. */
  latest?: Date;
  /** What of ours is there for another reason, so that it is not this. */
  taken?: string[];
}

export type PartOutcome = { state: 'done'; externalId: string } | { state: 'skipped'; reason: string };

/** A message that goes on to the other system. */
export interface RelayedMessage {
  /** Our own id of it. */
  id: string;
  /** The other system's conversation. */
  conversationId: string;
  text: string;
  attachments: { name: string; url: string }[];
}

/**
 * A system in which people carry on with what was handed to them. Nothing here tries twice by itself. What goes wrong is a ProviderError: one
 * with `mayHaveArrived` may have had its effect.
 */
export interface Crm {
  provider: 'hubspot' | 'salesforce';
  /** What a handoff consists of, in the order in which it is done. Where an optional part fails, the others go on. */
  parts: readonly { name: HandoffPart; isOptional: boolean }[];
  doPart(part: HandoffPart, facts: HandoffFacts, attempt: PriorAttempts): Promise<PartOutcome>;
  /** Says something in the conversation, once. Gives the other system's id of it. */
  postMessage(message: RelayedMessage, attempt: PriorAttempts): Promise<{ externalId: string }>;
}
