import type { Trx } from '../db/connect.ts';
import type { AddressedChannel } from './transport.rules.ts';

/** A file of a reply. */
export interface ReplyFile {
  mediaId: string;
  name: string;
  mimeType: string;
  size: number;
  /** A link without end, for places that cannot hold the file itself. */
  url: string;
}

/** A message of the agents' side for the session's channel. */
export interface Reply {
  /** The id of both the message and its delivery. */
  id: string;
  sessionId: string;
  channel: AddressedChannel;
  contactId: string;
  to: string;
  text: string;
  files: ReplyFile[];
  ticketNumber: number;
  /** Whether the AI or a workflow wrote it, and no person. */
  isAutoReply: boolean;
  /** Whether the conversation does without it: it goes to the contact alone, unless they have opted out. */
  isOptional?: boolean | undefined;
  /** Whether others of an e-mail's thread do not get it. */
  isForContactAlone?: boolean | undefined;
  /** Whether the contact's identity is verified. */
  isVerified: boolean;
  /** Whether mail may come from any domain. */
  isDevelopment: boolean;
}

/**
 * The functions of the sending domain for conversations. It is given as a dependency, because the sending domain itself
 * adds messages to sessions.
 */
export interface DeliveriesPort {
  /**
   * Requests the delivery of a reply. Throws invalid for a text too long for the channel, and conflict without a
   * sender.
   */
  requestReply(trx: Trx, orgId: string, reply: Reply): Promise<void>;
  /** Redacts the deliveries of messages. Throws conflict while one of them is being sent. */
  redactMessages(trx: Trx, orgId: string, messages: { ids: string[]; contactId: string | null }): Promise<void>;
}
