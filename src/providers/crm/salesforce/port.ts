import type { Crm } from '../port.ts';

/** Settings as an org's MIAW integration gives them. With a key, each end user is one whom we vouch for; without, a guest. */
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

/** By which one end user is let in. */
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
}

/** Where an org's conversations are kept. */
export interface ConversationStore {
  /** The session's conversation, with an id made for it where it had none. */
  getOrCreate(sessionId: string): Promise<Conversation>;
  find(conversationId: string): Promise<Conversation | undefined>;
  /** Keeps the conversation's token in place of the one that is known. Gives the one that counts: another's, where that was quicker. */
  replaceToken(conversation: Conversation, token: AccessToken): Promise<AccessToken>;
  updateOpen(conversation: Conversation): Promise<void>;
  /** Has the session go on in another conversation, which Salesforce has. */
  replaceConversation(from: Conversation, to: { id: string; token: AccessToken }): Promise<void>;
}

/** What somebody said in a conversation. */
export interface Entry {
  /** Salesforce's own; of what we sent, ours. */
  id: string;
  /** Agent, EndUser, Chatbot, System and whatever else comes. */
  role: string;
  senderName: string | null;
  /** Null where it is no text. */
  text: string | null;
  at: Date;
}

export interface EntryPage {
  /** Oldest first, each once. */
  entries: Entry[];
  /** Where to go on; null behind the last one. */
  next: Date | null;
}

/** What Messaging for In-App and Web can do beside what every CRM does. Throws CrmErrors. */
export interface Salesforce extends Crm {
  provider: 'salesforce';
  /** What was said from a moment on, in one page. Undefined where nobody can read the conversation any more. */
  listEntries(conversationId: string, since: Date | null): Promise<EntryPage | undefined>;
}
