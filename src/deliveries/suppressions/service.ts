import { toE164 } from '../../contacts/phone-number.schema.ts';
import type { Db } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { deleteSuppression, insertSuppression, listSuppressions } from '../suppressions.queries.ts';
import { type AddSuppression, type ListSuppressions, storedAddress } from './schema.ts';

/** Takes an address off a channel by hand. One that is off already stays so for the reason it has. */
export function addSuppression(db: Db, orgId: string, input: AddSuppression) {
  const { channel } = input;
  return insertSuppression(db, orgId, { id: newId(), channel, address: storedAddress(input), reason: 'manual' });
}

/** Lets messages reach the address again. What was left out meanwhile is not made up for. Throws notFound. */
export async function removeSuppression(db: Db, orgId: string, id: string): Promise<void> {
  if (!(await deleteSuppression(db, orgId, id))) throw notFound('suppression');
}

/** A page of suppressions, oldest first: those of a channel, or of an address in any spelling, where the query names one. */
export function pageOfSuppressions(db: Db, orgId: string, query: ListSuppressions) {
  const { channel, address: spelled } = query;
  const address = spelled === undefined ? undefined : (toE164(spelled) ?? spelled.toLowerCase());
  return pageOf(db, query, (place) => listSuppressions(db, orgId, { channel, address }, place));
}
