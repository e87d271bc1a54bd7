import type { Trx } from '../db/connect.ts';
import { announcementOf, announcing, type SessionAnnouncement } from '../outbox/announcing.ts';
import { rowsWithState } from './announcements.queries.ts';

/**
 * Announces events about sessions like `announce`, each with the state of its session in this transaction: reactions see
 * it however late they come.
 */
export async function announceWithState(trx: Trx, orgId: string, events: SessionAnnouncement[]): Promise<void> {
  if (events.length > 0) await announcing(trx, announcementOf(rowsWithState(orgId, events)).execute(trx));
}
