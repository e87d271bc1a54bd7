import type { Reaction } from '../../outbox/reactions.ts';
import { exitRepliedEnrollments } from './replies.queries.ts';

/**
 * Ends the enrollments of contacts who replied, in sequences with `exit_on_reply`. A send due meanwhile checks for
 * replies itself.
 */
export const exitRepliedContacts: Reaction<'contact-replied'> = (trx, orgId, events) =>
  exitRepliedEnrollments(
    trx,
    orgId,
    events.map(({ subject_id, payload, created_at }) => ({
      contact_id: subject_id,
      channel: payload.channel,
      at: created_at,
    })),
  );
