import type { Trx } from '../../db/connect.ts';
import { addVector, bytesOf, readSum, readVector, type VectorSum } from '../likeness/vectors.rules.ts';
import { findSpace, listCentroidsOf, upsertCentroids, upsertSpace } from './queries.ts';

export interface RemovedStatement {
  own_insight_id: string;
  space: string | null;
  vector: Buffer | null;
}

interface Sum extends VectorSum {
  space: string;
}

/**
 * Takes the vectors of statements out of the sums of their insights. `to` is the new insight that gets them; without it
 * they leave the org's sum too. Vectors of an earlier model are in no sum. The org's insights must be locked.
 */
export async function removeVectors(
  trx: Trx,
  orgId: string,
  statements: readonly RemovedStatement[],
  to?: string,
): Promise<void> {
  const space = await findSpace(trx, orgId);
  if (space === undefined) return;
  const ids = [...new Set(statements.map(({ own_insight_id }) => own_insight_id))];
  const known = await listCentroidsOf(trx, orgId, ids);
  const sums = new Map<string, Sum>(
    known.map(({ insight_id, sum, ...row }) => [insight_id, { ...row, sum: readSum(sum) }]),
  );
  const mean: Sum = { space: space.space, sum: readSum(space.sum), vectors: space.vectors };
  const gathered: Sum = { space: space.space, sum: new Int32Array(mean.sum.length), vectors: 0 };
  for (const { own_insight_id, space: of, vector } of statements) {
    const own = sums.get(own_insight_id);
    if (vector === null || own === undefined || own.space !== of) continue;
    const read = readVector(vector);
    addVector(own, read, -1);
    if (of !== space.space) continue;
    if (to === undefined) addVector(mean, read, -1);
    else addVector(gathered, read);
  }
  const revision = await upsertSpace(trx, orgId, { ...mean, sum: bytesOf(mean.sum) });
  const changed: [string, Sum][] = to === undefined ? [...sums] : [...sums, [to, gatheredOrUnaligned(gathered)]];
  for (const [insight_id, { space: of, sum, vectors }] of changed)
    await upsertCentroids(trx, orgId, { space: of, revision }, [{ insight_id, sum: bytesOf(sum), vectors }]);
}

/** A centroid of no space gets one before the next statement is assigned. */
const UNALIGNED = '';
const gatheredOrUnaligned = (sum: Sum): Sum => (sum.vectors > 0 ? sum : { ...sum, space: UNALIGNED });
