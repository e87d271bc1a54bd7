import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { CrawlJob } from './schema.ts';
import { listJobsById } from './shared.queries.ts';

/** Returns crawls by id, each in the format of the API. */
export async function getCrawlSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof CrawlJob>>> {
  const rows = ids.length === 0 ? [] : await listJobsById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(CrawlJob, row)]));
}
