import type { LostSend, SendOutcome } from '../../providers/sending.ts';
import type { Channel } from '../contract.ts';
import type { MessageContent } from './content.ts';

/** One send: whom it goes to and what goes out. */
export type OutgoingMessage = MessageContent & { orgId: string; deliveryId: string; to: string };

/** The way out of an org on one channel. */
export interface MessageSender {
  provider: string;
  /** Number or address that all of its messages come from; null where each message says its own. */
  fromAddress: string | null;
  concurrency: number;
  /** Outlets of the same pool share its slots, over all orgs and batches of this process. */
  pool: object;
  /** Never throws: what went wrong is an outcome. */
  send(envelope: OutgoingMessage): Promise<SendOutcome>;
  /** Asks the provider what became of a send whose answer was lost; absent where it cannot be asked. */
  findLostSend?: ((sent: LostSend) => Promise<SendOutcome | undefined>) | undefined;
}

/** Finds the way out of an org on a channel. */
export interface MessageSenders {
  /** Undefined where the channel is not configured. */
  of(orgId: string, channel: Channel): Promise<MessageSender | undefined>;
  close(): void;
}

/** Why nothing goes out on a channel that an org has not connected. */
export const NOT_CONNECTED_REASON = 'channel not configured';

/** Stands in where a channel is not configured, so that every delivery is still written down: nothing reaches it. */
export const NOT_CONNECTED: MessageSender = {
  provider: 'none',
  fromAddress: null,
  concurrency: 500,
  pool: {},
  send: async () => ({ kind: 'rejected', because: 'config', reason: NOT_CONNECTED_REASON }),
};
