import { holdMerges } from '../../contacts/merging/service.ts';
import { toE164 } from '../../contacts/phone-number.schema.ts';
import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { type AddSuppression, type ListSuppressions, storedAddress } from './schema.ts';
import { deleteSuppression, insertSuppression, listSuppressions, suppressOtherAddresses } from './shared.queries.ts';

export { insertSuppressions, listMissingSuppressions } from './shared.queries.ts';

/**
 * Suppresses an address on a channel manually, with the other addresses of a contact that was merged. An existing
 * suppression keeps its reason.
 */
export function addSuppression(db: Db, orgId: string, input: AddSuppression) {
  const suppression = { channel: input.channel, address: storedAddress(input), reason: 'manual' };
  return inTransaction(db, async (trx) => {
    await holdMerges(trx, orgId);
    const stored = await insertSuppression(trx, orgId, { id: newId(), ...suppression });
    await suppressOtherAddresses(trx, orgId, suppression);
    return stored;
  });
}

/** Allows messages to the address again. Sends skipped in the meantime are not made up for. Throws notFound. */
export async function removeSuppression(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteSuppression(db, orgId, id))) throw notFound('suppression');
}

/** Returns a page of suppressions, filtered by a channel and by an address in any spelling. */
export function pageOfSuppressions(db: Db, orgId: string, query: ListSuppressions) {
  const { channel, address: spelled } = query;
  const address = spelled === undefined ? undefined : (toE164(spelled) ?? spelled.toLowerCase());
  return pageOf(db, query, (page) => listSuppressions(db, orgId, { channel, address }, page));
}
