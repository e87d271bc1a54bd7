import type { Hubspot, ListedMessage, ThreadMessage } from '../../providers/crm/hubspot/port.ts';

/** A thread of which nothing was read: what is older than this was said before it was any of our business. */
const INITIAL_LOOKBACK_MS = 24 * 60 * 60_000;

/** Reads a thread's messages, most of them by one request for all of a batch. */
export interface ThreadReader {
  /** With all of its text. Undefined where it was deleted. */
  find(messageId: string): Promise<ThreadMessage | undefined>;
  /** What was said before a message and since `readUntil`, oldest first: whose events are still to come, or were lost. */
  listBefore(message: ThreadMessage, readUntil: Date | null): Promise<ThreadMessage[]>;
}

/** What the thread holds now; a message that is younger than that is asked for by itself, or with all the others again. */
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
      const known = (await list()).find(({ id }) => id === messageId);
      if (known !== undefined) return whole(known);
      const found = await client.findMessage(threadId, messageId);
      if (found !== undefined) listed = undefined;
      return found;
    },
    async listBefore(message, readUntil) {
      const from = readUntil?.getTime() ?? message.createdAt.getTime() - INITIAL_LOOKBACK_MS;
      const earlier = (await list()).filter(
        ({ id, createdAt }) => id !== message.id && createdAt.getTime() > from && createdAt < message.createdAt,
      );
      const found: ThreadMessage[] = [];
      for (const one of earlier) {
        const complete = await whole(one);
        if (complete !== undefined) found.push(complete);
      }
      return found;
    },
  };
}
