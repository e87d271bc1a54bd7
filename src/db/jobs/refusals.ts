import { DomainError } from '../../errors.ts';
import type { Trx } from '../connect.ts';
import { inSavepoint } from '../transaction.ts';

/** Changes something in a savepoint. Returns why that was refused, with nothing changed, or null. */
export async function refusalOf(trx: Trx, change: () => Promise<void>): Promise<string | null> {
  try {
    await inSavepoint(trx, change);
    return null;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.message;
  }
}

/** Changes one after the other, each once, in the order of the ids. Returns the outcomes in the given order. */
export async function changeEach(ids: string[], change: (id: string) => Promise<string | null>) {
  const errors = new Map<string, string | null>();
  for (const id of [...new Set(ids)].toSorted()) errors.set(id, await change(id));
  return ids.map((id) => ({ id, ...(errors.get(id) == null ? {} : { error: errors.get(id) ?? '' }) }));
}
