import type { Crm } from '../port.ts';

/** The settings of an org's MIAW integration. With a key, end users are verified by us; without, they are guests. */
export interface SalesforceSettings {
  /** The deployment's own address. */
  base_url: string;
  org_id: string;
  es_developer_name: string;
  /** The `kid` of the public key in Salesforce. */
  auth_key_id?: string | undefined;
  /** PEM. */
  private_key?: string | undefined;
}

/** Grants access as one end user. */
export interface AccessToken {
  token: string;
  expiresAt: Date;
}

/** A session's conversation in Salesforce. Its end user is the session. */
export interface Conversation {
  id: string;
  sessionId: string;
  token: AccessToken | undefined;
  isOpen: boolean;
  /** The id of the ended conversation that it continues, until it is open itself. */
  continues: string | undefined;
}

/** Stores an org's conversations. */
export interface ConversationStore {
  /** Returns the session's conversation, created with a new id if there was none. */
  getOrCreate(sessionId: string): Promise<Conversation>;
  /** Returns a session's current conversation. */
  find(conversationId: string): Promise<Conversation | undefined>;
  /** Returns a session's current conversation, or the one before, until that is read to its end. */
  findReadable(conversationId: string): Promise<Conversation | undefined>;
  /** Returns whether a handoff of the session still has to reach its conversation. */
  awaitsHandoff(sessionId: string): Promise<boolean>;
  /** Replaces the conversation's known token. Returns the stored token: another caller's, if that was faster. */
  replaceToken(conversation: Conversation, token: AccessToken): Promise<AccessToken>;
  updateOpen(conversation: Conversation): Promise<void>;
  /**
   * Continues the session in another conversation, still to be opened. The one before stays readable. Returns the
   * session's current conversation: another caller's, if that was faster. Throws a CrmError while an earlier one is still
   * to be read.
   */
  replaceConversation(from: Conversation, id: string): Promise<Conversation>;
}

/** A message in a conversation. */
export interface Entry {
  /** Salesforce's own id, or ours for messages sent by us. */
  id: string;
  /** Agent, EndUser, Chatbot, System or any other role. */
  role: string;
  senderName: string | null;
  /** Null for entries other than text. */
  text: string | null;
  at: Date;
}

export interface EntryPage {
  /** Oldest first, each once. */
  entries: Entry[];
  /** The start of the next page; null after the last page. */
  next: Date | null;
}

/** The features of Messaging for In-App and Web beyond those common to all CRMs. Throws CrmErrors. */
export interface Salesforce extends Crm {
  provider: 'salesforce';
  /** Lists one page of messages from a time on. Returns undefined if the conversation can no longer be read. */
  listEntries(conversationId: string, since: Date | null): Promise<EntryPage | undefined>;
}
