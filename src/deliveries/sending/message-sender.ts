import type { LostSend, SendOutcome } from '../../providers/sending.ts';
import type { Channel } from '../contract.ts';
import type { MessageContent } from './content.ts';

/** One send: its recipient and its content. */
export type OutgoingMessage = MessageContent & { orgId: string; deliveryId: string; to: string };

/** Sends an org's messages on one channel. */
export interface MessageSender {
  provider: string;
  /** The number or address of all its messages; null if each message has its own. */
  fromAddress: string | null;
  concurrency: number;
  /** Senders of the same pool share its slots, over all orgs and batches of this process. */
  pool: object;
  /** Never throws: failures are outcomes. */
  send(message: OutgoingMessage): Promise<SendOutcome>;
  /** Asks the provider for the outcome of a send with a lost response. Absent if the provider cannot be asked. */
  findLostSend?: ((sent: LostSend) => Promise<SendOutcome | undefined>) | undefined;
}

/** Finds an org's sender for a channel. */
export interface MessageSenders {
  /** Returns undefined if the channel is not configured. */
  of(orgId: string, channel: Channel): Promise<MessageSender | undefined>;
  close(): void;
}

/** The reason for failed sends on a channel without a connection. */
export const NOT_CONNECTED_REASON = 'channel not configured';

/** Replaces the sender of a channel without configuration: every delivery is still recorded, but none is sent. */
export const NOT_CONNECTED: MessageSender = {
  provider: 'none',
  fromAddress: null,
  concurrency: 500,
  pool: {},
  send: async () => ({ kind: 'rejected', because: 'config', reason: NOT_CONNECTED_REASON }),
};
