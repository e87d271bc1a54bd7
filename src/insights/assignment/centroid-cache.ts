import { LRUCache } from 'lru-cache';
import type { Trx } from '../../db/connect.ts';
import { readSum, type VectorSum } from '../likeness/vectors.rules.ts';
import { listCentroids } from './queries.ts';

const MAX_BYTES = 128 * 1024 * 1024;

export interface OwnCentroid extends VectorSum {
  root_id: string;
  space: string;
}

interface CachedOrg {
  byInsight: Map<string, OwnCentroid>;
  /** All changes up to this one are cached. */
  revision: number;
}

export interface CentroidCache {
  /** Returns all centroids of an org as of a revision. The org's insights must be locked. */
  read(trx: Trx, orgId: string, revision: number): Promise<ReadonlyMap<string, OwnCentroid>>;
}

/** Creates a cache of centroids. Each read gets only those that were changed since the last one. */
export function createCentroidCache(): CentroidCache {
  const orgs = new LRUCache<string, CachedOrg>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ byInsight }) => 1 + byInsight.size * (byInsight.values().next().value?.sum.byteLength ?? 0),
  });
  return {
    async read(trx, orgId, revision) {
      const known = orgs.get(orgId);
      const { byInsight, revision: after } =
        known !== undefined && known.revision <= revision ? known : { byInsight: new Map(), revision: 0 };
      for (const { insight_id, sum, ...row } of await listCentroids(trx, orgId, after))
        byInsight.set(insight_id, { ...row, sum: readSum(sum) });
      orgs.set(orgId, { byInsight, revision });
      return byInsight;
    },
  };
}
