import type { Db, Trx } from '../../db/connect.ts';
import { mostCentral, sumByRoot } from '../similarity/centroids.rules.ts';
import { readSum, readVector } from '../similarity/vectors.rules.ts';
import {
  findLastStatement,
  listMisnamed,
  listRecentStatements,
  listSumsOf,
  setNameByHand,
  updateName,
} from './queries.ts';

export { listInsightsNamedAfter } from './queries.ts';

/** Among this many of its latest statements the most central ones are looked for. */
const STATEMENTS_READ = 200;

/** Returns the most central of an insight's statements, the most central first. */
export async function listCentral(db: Db, orgId: string, insightId: string, limit: number) {
  const sums = await listSumsOf(db, orgId, insightId);
  const centroid = sumByRoot(sums.map((row) => ({ ...row, sum: readSum(row.sum) }))).get(insightId);
  if (centroid === undefined) return [];
  const statements = await listRecentStatements(db, orgId, insightId, STATEMENTS_READ);
  return mostCentral(
    statements.map((row) => ({ ...row, vector: readVector(row.vector) })),
    centroid,
    limit,
  );
}

/**
 * Names an insight by its most central statement, unless somebody has named it by hand. `count` is the number of its
 * sessions if it was due. Returns whether it has a statement.
 */
export async function nameByMedoid(trx: Trx, orgId: string, insightId: string, count?: number): Promise<boolean> {
  const [central] = await listCentral(trx, orgId, insightId, 1);
  const named = central ?? (await findLastStatement(trx, orgId, insightId));
  if (named === undefined) return false;
  const name = { content: named.content, named_by: 'quote' as const, name_sources: [named.id] };
  await updateName(trx, orgId, insightId, { ...name, ...(count !== undefined && { named_at_count: count }) });
  return true;
}

/** Renames those insights with a name from a statement they no longer have. */
export async function renameMisnamed(trx: Trx, orgId: string, insightIds: string[]): Promise<void> {
  for (const id of await listMisnamed(trx, orgId, insightIds)) await nameByMedoid(trx, orgId, id);
}

/** Gives an insight a permanent name. */
export const nameByHand = (trx: Trx, orgId: string, insightId: string, content: string): Promise<void> =>
  setNameByHand(trx, orgId, insightId, content);
