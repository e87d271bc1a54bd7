import { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { SlaPolicy } from './schema.ts';
import { listPoliciesById } from './shared.queries.ts';

/** Returns SLA policies of the org by id, in the format of the API. Deleted ones are left out. */
export async function policySnapshotsOf(
  db: Db,
  orgId: string,
  ids: string[],
): Promise<Map<string, z.input<typeof SlaPolicy>>> {
  const rows = ids.length === 0 ? [] : await listPoliciesById(db, orgId, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, z.encode(SlaPolicy, row)]));
}
