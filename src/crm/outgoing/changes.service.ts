import { enqueue } from '../../outbox/outbox.ts';
import type { Reaction } from '../../outbox/reactions.ts';
import { queueSignalOf } from '../inbound/batch-parsing.service.ts';
import { wakeMiaw } from '../salesforce/sync.service.ts';
import { insertChangesOfCopies } from './shared.queries.ts';

/** Tells the CRM that the contact has edited or deleted a message, once, if a copy of the message is there. */
export const tellChangesOfCopies: Reaction<'message-changed'> = async (trx, orgId, events) => {
  const changes = events.map(({ subject_id: session_id, payload: { message_id, change_id } }) => ({
    session_id,
    message_id,
    change_id,
  }));
  const copies = await insertChangesOfCopies(trx, orgId, changes);
  const commands = copies.map(({ session_id, ticket_id }) =>
    ticket_id === null ? wakeMiaw(orgId, session_id) : queueSignalOf(orgId, `ticket/${ticket_id}`),
  );
  await enqueue(trx, orgId, ...commands);
};
