import { z } from 'zod';
import type { Db, Trx } from '../db/connect.ts';
import { type CreatedWithin, pagesById } from '../db/keyset.ts';
import { findCurrentIds } from './merging/service.ts';
import { Contact } from './schema.ts';
import { listContactsById, listContactsInOrder, listShownContacts } from './snapshots.queries.ts';

export { countContacts } from './snapshots.queries.ts';

const CONTACTS_PER_PAGE = 500;

export interface ContactSnapshot {
  isBlocked: boolean;
  /** The contact as in the response to GET. */
  shown: z.input<typeof Contact>;
}

/**
 * Returns contacts of the org by their ids, each as in the response to GET. Of a merged contact, returns the one that it is
 * now. Deleted ones are left out.
 */
export async function getShownContacts(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, ContactSnapshot['shown']>> {
  const rows = await findWithMerged(db, orgId, ids, listShownContacts);
  return mapValues(rows, (row) => z.encode(Contact, row));
}

/** Returns contacts like getShownContacts, and whether they are blocked. */
export async function getContactSnapshots(db: Db, orgId: string, ids: string[]): Promise<Map<string, ContactSnapshot>> {
  const rows = await findWithMerged(db, orgId, ids, listContactsById);
  return mapValues(rows, ({ is_blocked, ...row }) => ({ isBlocked: is_blocked, shown: z.encode(Contact, row) }));
}

/** Finds rows of contacts by the ids that were asked for, those of merged contacts included. */
async function findWithMerged<Row extends { id: string }>(
  db: Db,
  orgId: string,
  asked: string[],
  list: (db: Db, orgId: string, ids: string[]) => Promise<Row[]>,
): Promise<Map<string, Row>> {
  if (asked.length === 0) return new Map();
  const found = new Map((await list(db, orgId, [...new Set(asked)])).map((row) => [row.id, row]));
  const missing = asked.filter((id) => !found.has(id));
  const current = await findCurrentIds(db, orgId, missing);
  if (current.size === 0) return found;
  const now = new Map((await list(db, orgId, [...new Set(current.values())])).map((row) => [row.id, row]));
  for (const [id, currentId] of current) {
    const row = now.get(currentId);
    if (row !== undefined) found.set(id, row);
  }
  return found;
}

const mapValues = <Row, Value>(rows: Map<string, Row>, toValue: (row: Row) => Value): Map<string, Value> =>
  new Map([...rows].map(([id, row]) => [id, toValue(row)]));

/** Reads all contacts that were created within given times, each as in the response to GET, some at a time. */
export async function* readContacts(
  trx: Trx,
  orgId: string,
  created: CreatedWithin,
): AsyncGenerator<ContactSnapshot['shown'][]> {
  const pages = pagesById(CONTACTS_PER_PAGE, (page) => listContactsInOrder(trx, orgId, { ...page, ...created }));
  for await (const rows of pages) yield rows.map((row) => z.encode(Contact, row));
}
