import { z } from 'zod';
import type { Db } from '../db/connect.ts';
import { listInsightsById } from './queries.ts';
import { Insight } from './schema.ts';

/** Returns insights by id, each in the format of the API. Merged ones are shown by themselves, not as their root. */
export async function getInsightSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof Insight>>> {
  const rows = await listInsightsById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(Insight, row)]));
}
