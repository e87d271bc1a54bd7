import { z } from 'zod';
import type { Db, Trx } from '../db/connect.ts';
import { type CreatedWithin, pagesById } from '../db/keyset.ts';
import { Contact } from './schema.ts';
import { listContactsById, listContactsInOrder, listShownContacts } from './snapshots.queries.ts';

export { countContacts } from './snapshots.queries.ts';

const CONTACTS_PER_PAGE = 500;

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

/** Reads all contacts that were created within given times, each as in the response to GET, some at a time. */
export async function* readContacts(
  trx: Trx,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<ContactSnapshot['shown'][]> {
  const pages = pagesById(CONTACTS_PER_PAGE, (page) => listContactsInOrder(trx, orgId, { ...page, ...created }));
  for await (const rows of pages) yield rows.map((row) => z.encode(Contact, row));
}
