import { toE164 } from '../contacts/phone-number.schema.ts';
import type { Db } from '../db/connect.ts';
import { decodeCursor, settledBefore, toPage } from '../db/cursor.ts';
import { notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import { deleteSuppression, insertSuppression, listSuppressions } from './suppressions.queries.ts';
import { type AddSuppression, type ListSuppressions, storedAddress } from './suppressions.schema.ts';

/** Takes an address off a channel by hand. One that is off already stays so for the reason it has. */
export function suppress(db: Db, orgId: string, input: AddSuppression) {
  const { channel } = input;
  return insertSuppression(db, orgId, { id: newId(), channel, address: storedAddress(input), reason: 'manual' });
}

/** Lets messages reach the address again. What was left out meanwhile is not made up for. Throws notFound. */
export async function liftSuppression(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteSuppression(db, orgId, id))) throw notFound('suppression');
}

export async function pageOfSuppressions(db: Db, orgId: string, { cursor, limit, ...filters }: ListSuppressions) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const address =
    filters.address === undefined ? undefined : (toE164(filters.address) ?? filters.address.toLowerCase());
  const settled = await settledBefore(db);
  const rows = await listSuppressions(db, orgId, { channel: filters.channel, address, after, settled, limit });
  return toPage(rows, limit, ({ created_at }) => created_at);
}
