import type { Trx } from '../db/connect.ts';
import { announcementOf, executeAnnouncing } from '../outbox/announcing.ts';
import type { NewEvent, SessionEventType } from '../outbox/events.ts';
import { eventsWithState } from './announcements.queries.ts';

/**
 * Announces events about sessions like `announce`, each with the state of its session in this transaction: reactions see
 * it however late they come.
 */
export async function announceWithState<Type extends SessionEventType>(
  trx: Trx,
  orgId: string,
  type: Type,
  events: NewEvent<Type>[],
): Promise<void> {
  if (events.length > 0) await executeAnnouncing(trx, announcementOf(type, eventsWithState(orgId, events)));
}
