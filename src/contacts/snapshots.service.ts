import { z } from 'zod';
import type { Db } from '../db/connect.ts';
import { Contact } from './schema.ts';
import { listContactsById, listShownContacts } from './snapshots.queries.ts';

export interface ContactSnapshot {
  isBlocked: boolean;
  /** The contact as in the response to GET. */
  shown: z.input<typeof Contact>;
}

/** Returns contacts of the org by their ids, each as in the response to GET. Deleted ones are left out. */
export async function getShownContacts(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, ContactSnapshot['shown']>> {
  const rows = ids.length === 0 ? [] : await listShownContacts(db, orgId, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, z.encode(Contact, row)]));
}

/** Returns contacts like getShownContacts, and whether they are blocked. */
export async function getContactSnapshots(db: Db, orgId: string, ids: string[]): Promise<Map<string, ContactSnapshot>> {
  const rows = ids.length === 0 ? [] : await listContactsById(db, orgId, [...new Set(ids)]);
  return new Map(
    rows.map(({ is_blocked, ...row }) => [row.id, { isBlocked: is_blocked, shown: z.encode(Contact, row) }]),
  );
}
