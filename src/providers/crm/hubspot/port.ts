import type { Crm, PriorAttempts, RelayedMessage } from '../port.ts';

/** A message of a thread in HubSpot's Conversations API, version 3. */
export interface ThreadMessage {
  id: string;
  threadId: string;
  /** MESSAGE, COMMENT, WELCOME_MESSAGE, ASSIGNMENT, THREAD_STATUS_CHANGE or any other type. */
  type: string;
  isArchived: boolean;
  /** The full text, fetched separately if it was truncated. */
  text: string;
  direction: 'INCOMING' | 'OUTGOING' | null;
  /** The author, such as A-123 or V-5; null if none is named. */
  actorId: string | null;
  senderName: string | null;
  /** In lower case, if the sender has one. */
  senderEmail: string | null;
  clientType: string | null;
  /** Digits. */
  integrationAppId: string | null;
  /** 1002 is e-mail. */
  channelId: string | null;
  createdAt: Date;
}

export interface ListedMessage extends ThreadMessage {
  isTruncated: boolean;
}

/** The contact of a conversation. */
export interface Person {
  name: string | null;
  email: string | null;
  phone: string | null;
}

export interface TicketNote {
  id: string;
  /** As plain text. */
  text: string;
  authorName: string | null;
  ticketIds: string[];
  createdAt: Date | null;
}

/** HubSpot's features beyond those common to all CRMs. Throws CrmErrors. */
export interface Hubspot extends Crm {
  provider: 'hubspot';
  /** Returns undefined if the message was deleted. */
  findMessage(threadId: string, messageId: string): Promise<ThreadMessage | undefined>;
  /** Lists the thread's latest messages, at most 100, oldest first. Truncated ones must be fetched individually. */
  listMessages(threadId: string): Promise<ListedMessage[]>;
  /** Finds the thread's contact, if the thread names one. */
  findPerson(threadId: string): Promise<Person | undefined>;
  /** Finds the actor that the thread is assigned to, such as A-123. */
  findAssignee(threadId: string): Promise<string | undefined>;
  /** Returns the id of the credentials' account. */
  findAccountId(): Promise<string>;
  findNote(noteId: string): Promise<TicketNote | undefined>;
  /** Adds a note to a ticket, once. `conversationId` is the ticket's id. Returns the id of the note. */
  addTicketNote(message: RelayedMessage, attempt: PriorAttempts): Promise<{ externalId: string }>;
  /** Moves the ticket to its closed stage. Does nothing if the ticket was deleted or is closed already. */
  closeTicket(ticketId: string): Promise<void>;
  /** Moves a closed ticket to its open stage. Does nothing if the ticket was deleted or is open already. */
  reopenTicket(ticketId: string): Promise<void>;
  /** Whether a stage closes tickets: the configured closed stage, or a closed stage of the ticket's pipeline. */
  isClosedStage(ticketId: string, stageId: string): Promise<boolean>;
}
