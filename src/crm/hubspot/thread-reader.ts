import type { Hubspot, ListedMessage, ThreadMessage } from '../../providers/crm/hubspot/port.ts';

/** In a thread never read before, messages older than this are ignored: they were written before it was connected. */
const INITIAL_LOOKBACK_MS = 24 * 60 * 60_000;

/** Reads the messages of a thread, most of them with one request for a whole batch of events. */
export interface ThreadReader {
  /** Returns a message with its complete text. Undefined if it was deleted. */
  find(messageId: string): Promise<ThreadMessage | undefined>;
  /**
   * Returns the messages between `readUntil` and this message, oldest first: their events are still to come, or were
   * lost.
   */
  listBefore(message: ThreadMessage, readUntil: Date | null): Promise<ThreadMessage[]>;
}

/**
 * Lists the thread once, and requests a message missing in the list on its own. The next listing then reads the thread
 * again.
 */
export function createThreadReader(client: Hubspot, threadId: string): ThreadReader {
  let listed: Promise<ListedMessage[]> | undefined;
  const list = () => {
    listed ??= client.listMessages(threadId);
    return listed;
  };
  const whole = async (message: ListedMessage) =>
    message.isTruncated ? client.findMessage(threadId, message.id) : message;

  return {
    async find(messageId) {
      const inThread = (await list()).find(({ id }) => id === messageId);
      if (inThread !== undefined) return whole(inThread);
      const message = await client.findMessage(threadId, messageId);
      if (message !== undefined) listed = undefined;
      return message;
    },
    async listBefore(message, readUntil) {
      const from = readUntil?.getTime() ?? message.createdAt.getTime() - INITIAL_LOOKBACK_MS;
      const earlier = (await list()).filter(
        ({ id, createdAt }) => id !== message.id && createdAt.getTime() > from && createdAt < message.createdAt,
      );
      const messages: ThreadMessage[] = [];
      for (const one of earlier) {
        const complete = await whole(one);
        if (complete !== undefined) messages.push(complete);
      }
      return messages;
    },
  };
}
