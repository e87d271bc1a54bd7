import type { Crm } from '../port.ts';

/** A message of a thread as HubSpot's Conversations API, v3, has it. */
export interface ThreadMessage {
  id: string;
  threadId: string;
  /** MESSAGE, COMMENT, WELCOME_MESSAGE, ASSIGNMENT, THREAD_STATUS_CHANGE and whatever else comes. */
  type: string;
  isArchived: boolean;
  /** Whole: fetched again where it was truncated. */
  text: string;
  direction: 'INCOMING' | 'OUTGOING' | null;
  /** Who wrote it, such as A-123 or V-5; null where nobody is named. */
  actorId: string | null;
  senderName: string | null;
  /** In lower case, where the sender has one. */
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

/** Whom a conversation is with. */
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

/** What HubSpot can do beside what every CRM does. Throws CrmErrors. */
export interface Hubspot extends Crm {
  provider: 'hubspot';
  /** Undefined where it was deleted. */
  findMessage(threadId: string, messageId: string): Promise<ThreadMessage | undefined>;
  /** The thread's latest messages, at most 100, oldest first. Those that come cut are to be found one by one. */
  listMessages(threadId: string): Promise<ListedMessage[]>;
  /** Whom a thread is with, where it says so. */
  findPerson(threadId: string): Promise<Person | undefined>;
  /** Of which account the credentials are. */
  findAccountId(): Promise<string>;
  findNote(noteId: string): Promise<TicketNote | undefined>;
  /** Moves the ticket to its closed stage. One that is gone, or there already, is closed. */
  closeTicket(ticketId: string): Promise<void>;
  /** Whether a stage is where tickets are closed: the configured one, or one that its pipeline says is. */
  isClosedStage(ticketId: string, stageId: string): Promise<boolean>;
}
