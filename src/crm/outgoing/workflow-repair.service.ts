import type { Command } from '../../outbox/outbox.ts';
import type { ThreadRef, TicketRef } from '../contract.ts';
import { queueSignalOf } from '../inbound/batch-parsing.service.ts';

export { listAllThreadsWithUnsent, listAllTicketsWithUnsent, listConversationsWithUnsent } from './unsent.queries.ts';

/** Returns the command to post the messages of a thread that are still to be sent. */
export const wakeThread = ({ orgId, threadId }: ThreadRef): Command => queueSignalOf(orgId, `thread/${threadId}`);

/** Returns the command to add the notes of a ticket that are still to be added. */
export const wakeTicket = ({ orgId, ticketId }: TicketRef): Command => queueSignalOf(orgId, `ticket/${ticketId}`);
