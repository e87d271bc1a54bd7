import type { Trx } from '../../db/connect.ts';
import { addVector, bytesOf, emptySum, readSum, readVector, type VectorSum } from '../similarity/vectors.rules.ts';
import { findSpace, listCentroidsOf, upsertCentroids, upsertSpace } from './queries.ts';

export interface MovedStatement {
  own_insight_id: string;
  /** Its new insight. Null: it is gone. */
  to: string | null;
  space: string | null;
  vector: Buffer | null;
}

interface Sum extends VectorSum {
  space: string;
}

/**
 * A centroid of no space gets one before the next statement is assigned. An insight with only vectors of earlier models
 * has it.
 */
const UNALIGNED = '';

/**
 * Moves the vectors of statements from the sums of their insights to those of others, or out of all. The org's sum
 * includes those in a sum of its space. Vectors of an earlier model are in no sum. The org's insights must be locked.
 */
export async function moveVectors(trx: Trx, orgId: string, statements: readonly MovedStatement[]): Promise<void> {
  const space = await findSpace(trx, orgId);
  if (space === undefined) return;
  const mean: Sum = { space: space.space, sum: readSum(space.sum), vectors: space.vectors };
  const sums = await readSums(trx, orgId, statements);
  for (const { to } of statements)
    if (to !== null && !sums.has(to)) sums.set(to, { space: mean.space, ...emptySum(mean.sum.length) });
  for (const { own_insight_id, to, space: of, vector } of statements) {
    if (vector === null) continue;
    const read = readVector(vector);
    for (const [id, times] of [[own_insight_id, -1] as const, [to, 1] as const]) {
      const sum = id === null ? undefined : sums.get(id);
      if (sum === undefined || sum.space !== of) continue;
      addVector(sum, read, times);
      if (of === mean.space) addVector(mean, read, times);
    }
  }
  for (const { to } of statements) {
    const sum = to === null ? undefined : sums.get(to);
    if (sum?.vectors === 0) sum.space = UNALIGNED;
  }
  const revision = await upsertSpace(trx, orgId, { ...mean, sum: bytesOf(mean.sum) });
  for (const [insight_id, { space: of, sum, vectors }] of sums)
    await upsertCentroids(trx, orgId, { space: of, revision }, [{ insight_id, sum: bytesOf(sum), vectors }]);
}

async function readSums(trx: Trx, orgId: string, statements: readonly MovedStatement[]): Promise<Map<string, Sum>> {
  const ids = new Set(statements.flatMap(({ own_insight_id, to }) => [own_insight_id, ...(to === null ? [] : [to])]));
  const centroids = await listCentroidsOf(trx, orgId, [...ids]);
  return new Map(centroids.map(({ insight_id, sum, ...row }) => [insight_id, { ...row, sum: readSum(sum) }]));
}
