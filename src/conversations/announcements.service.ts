import type { Trx } from '../db/connect.ts';
import { sendAhead } from '../db/connections/pipeline.ts';
import { announcementOf, type SessionAnnouncement } from '../outbox/announcing.ts';
import { wakeForEvents } from '../outbox/wake.ts';
import { rowsWithState } from './announcements.queries.ts';

/**
 * Announces events about sessions like `announce`, each with the state of its session in this transaction: reactions see
 * it however late they come.
 */
export async function announceWithState(trx: Trx, orgId: string, events: SessionAnnouncement[]): Promise<void> {
  if (events.length === 0) return;
  await sendAhead(trx, announcementOf(rowsWithState(orgId, events)));
  wakeForEvents(trx);
}
