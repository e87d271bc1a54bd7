import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { Session } from './schema.ts';
import { listContents, listSessionsById, listSessionsOfMessages } from './snapshots.queries.ts';

export interface SessionSnapshot {
  contactId: string | null;
  /** As GET answers it. */
  session: z.input<typeof Session>;
  closedPayload: unknown;
}

/** Sessions of the org by their ids, each as GET answers it. Those that are gone are left out. */
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
        session: z.encode(Session, row as never),
        closedPayload: row.session_closed_payload,
      },
    ]),
  );
}

/** What people wrote in events, by the events' ids. Redacted ones are left out. */
export async function listEventContents(db: Db, orgId: string, eventIds: string[]): Promise<Map<string, string>> {
  const rows = eventIds.length === 0 ? [] : await listContents(db, orgId, eventIds);
  return new Map(rows.map(({ id, content }) => [id, content as string]));
}

/** The sessions that messages are in, by the messages' ids. Those that are in none are left out. */
export async function listSessionIdsOfMessages(
  db: Db,
  orgId: string,
  messageIds: string[],
): Promise<Map<string, string>> {
  const rows = await listSessionsOfMessages(db, orgId, messageIds);
  return new Map(rows.map(({ id, session_id }) => [id, session_id]));
}
