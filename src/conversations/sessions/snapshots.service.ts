import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { SessionState } from '../../outbox/events.ts';
import { HistoryItem } from '../history/events.schema.ts';
import { historyItemOf } from '../history/service.ts';
import { Session } from './schema.ts';
import {
  listClosedPayloads,
  listContents,
  listEventsById,
  listSessionsById,
  listSessionsOfMessages,
} from './snapshots.queries.ts';

export interface SessionSnapshot {
  contactId: string | null;
  /** In the format of GET. */
  session: z.input<typeof Session>;
  /** The payload given since the session was last opened. */
  closedPayload: unknown;
  /** The start of its inactivity: messages of workflows do not end it, a reopening does. */
  inactiveSince: Date;
  /** The automatically applied tags not confirmed by anybody. */
  autoTags: string[];
}

/**
 * Returns a session with its state at an event. The texts and the progress of its handoff are those of now. A handoff
 * ended since has none.
 */
export function sessionAt(
  { session }: SessionSnapshot,
  { waiting_on, handoff, ...state }: SessionState,
): SessionSnapshot['session'] {
  const isSame = handoff !== null && session.handoff?.at === handoff.at;
  return {
    ...session,
    ...state,
    waiting_on: waiting_on ?? session.waiting_on, // a session's opening message follows its event
    handoff: isSame ? session.handoff : handoff && { ...handoff, summary: null, sentiment: null, reason: null },
  };
}

/** Returns sessions of the org by id, each in the format of GET. Deleted ones are left out. */
export async function listSessionSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, SessionSnapshot>> {
  const rows = ids.length === 0 ? [] : await listSessionsById(db, orgId, [...new Set(ids)]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        contactId: row.contact_id,
        session: z.encode(Session, row),
        closedPayload: row.session_closed_payload,
        inactiveSince: row.inactive_since,
        autoTags: row.auto_tags,
      },
    ]),
  );
}

/** Returns events of sessions by event id, each as the history shows it. Deleted ones are left out. */
export async function listHistorySnapshots(
  db: Db,
  links: MediaLinks,
  orgId: string,
  eventIds: string[],
): Promise<Map<string, z.input<typeof HistoryItem>>> {
  const rows = eventIds.length === 0 ? [] : await listEventsById(db, orgId, eventIds);
  return new Map(rows.map((row) => [row.id, z.encode(HistoryItem, historyItemOf(links, row))]));
}

/** Returns the texts of events by event id. Redacted ones are left out. */
export async function listEventContents(db: Db, orgId: string, eventIds: string[]): Promise<Map<string, string>> {
  const rows = eventIds.length === 0 ? [] : await listContents(db, orgId, eventIds);
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** Returns the payloads of sessions' closings, by the ids of the closings. Those without one are left out. */
export async function listClosingPayloads(db: Db, orgId: string, closingIds: string[]): Promise<Map<string, unknown>> {
  const rows = closingIds.length === 0 ? [] : await listClosedPayloads(db, orgId, closingIds);
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}

/** Returns the session ids of messages by message id. Unknown messages are left out. */
export async function listSessionIdsOfMessages(
  db: Db,
  orgId: string,
  messageIds: string[],
): Promise<Map<string, string>> {
  const rows = await listSessionsOfMessages(db, orgId, messageIds);
  return new Map(rows.map(({ id, session_id }) => [id, session_id]));
}
