import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { Sequence } from '../schema.ts';
import { withSteps } from './service.ts';
import { listSequencesById } from './shared.queries.ts';

/** Returns sequences of the org by their ids, each as in the response to GET. Deleted ones are left out. */
export async function getSequenceSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof Sequence>>> {
  const rows = ids.length === 0 ? [] : await listSequencesById(db, orgId, [...new Set(ids)]);
  const whole = await withSteps(db, orgId, rows);
  return new Map(whole.map((row) => [row.id, z.encode(Sequence, row)]));
}
