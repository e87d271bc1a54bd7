import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { listCallsById } from './queries.ts';
import { Call } from './schema.ts';

/** Returns the AI's calls of actions by id, each in the format of the API. */
export async function getCallSnapshots(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof Call>>> {
  const rows = await listCallsById(db, orgId, ids);
  return new Map(rows.map((row) => [row.id, z.encode(Call, row)]));
}
