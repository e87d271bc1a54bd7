import type { Trx } from '../../db/connect.ts';
import { announce } from '../../outbox/announcing.ts';
import { appendSequenceMessages } from '../events.queries.ts';
import { lockCurrentSessions } from '../queries.ts';

/** Messages of a sequence to contacts on one channel. */
export interface SequenceMessages {
  sequenceId: string;
  channel: 'email' | 'sms' | 'whatsapp';
  /** `id` is the delivery's. */
  messages: { id: string; contactId: string; text: () => string }[];
}

/**
 * Adds messages of a sequence to the sessions of the contacts' future replies: the current one on the channel, or else
 * the newest. A contact without one gets none. They are no person's replies, so they move neither clocks nor the
 * awaited side. Existing messages are left out, so the call can be repeated.
 */
export async function addSequenceMessages(
  trx: Trx,
  orgId: string,
  { sequenceId, channel, messages }: SequenceMessages,
): Promise<void> {
  const contactIds = [...new Set(messages.map(({ contactId }) => contactId))];
  if (contactIds.length === 0) return;
  const sessions = await lockCurrentSessions(trx, orgId, { channel, contactIds });
  if (sessions.length === 0) return;
  const sessionOf = new Map(sessions.map(({ id, contact_id }) => [contact_id, id]));
  const standing = messages.flatMap(({ id, contactId, text }) => {
    const session_id = sessionOf.get(contactId);
    return session_id === undefined ? [] : [{ id, session_id, content: text(), data: { sequence_id: sequenceId } }];
  });
  const added = await appendSequenceMessages(trx, orgId, standing);
  await announce(
    trx,
    orgId,
    added.map(({ id, session_id }) => ({
      type: 'message-created',
      subject_id: session_id,
      payload: { message_id: id, sender: 'sequence' },
    })),
  );
}
