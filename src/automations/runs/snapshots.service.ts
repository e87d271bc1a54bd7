import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { listRunsById } from './history.queries.ts';
import { RunSummary } from './schema.ts';

/** Returns runs of customers' workflows by id, each as a list shows it. Deleted ones are left out. */
export async function getRunSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof RunSummary>>> {
  const rows = ids.length === 0 ? [] : await listRunsById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(RunSummary, row)]));
}
