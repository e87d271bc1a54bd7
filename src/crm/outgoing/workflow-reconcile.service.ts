import type { Command } from '../../outbox/outbox.ts';
import type { ThreadRef } from '../contract.ts';
import { queueSignalOf } from '../inbound/batch-parsing.service.ts';

export { listAllThreadsWithUnsent, listConversationsWithUnsent } from './unsent.queries.ts';

/** Returns the command to post the messages of a thread that are still to be sent. */
export const wakeThread = ({ orgId, threadId }: ThreadRef): Command => queueSignalOf(orgId, `thread/${threadId}`);
