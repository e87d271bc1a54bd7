import { LRUCache } from 'lru-cache';
import { shareByKey } from '../../concurrency/limited.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { readSum, type VectorSum } from '../similarity/vectors.rules.ts';
import { findRevision, listCentroids, listChangedCentroids } from './queries.ts';

const LIMITS = { maxBytes: 128 * 1024 * 1024, maxOrgBytes: 120 * 1024 * 1024 };
const CENTROIDS_PER_BATCH = 500;
/** Fewer changes are read while the org's insights are locked. */
const CHANGES_TO_READ_BEFORE = 100;
/** An org at its limit keeps this share of it, as not every new insight should sort all of them. */
const SHARE_KEPT = 0.95;

export interface OwnCentroid extends VectorSum {
  root_id: string;
  space: string;
  /** Sessions of its root insight, and the time of the last occurrence there. */
  occurrence_count: number;
  last_seen_at: Date | null;
}

interface CachedOrg {
  byInsight: Map<string, OwnCentroid>;
  bytes: number;
  /** All changes up to this one are cached. */
  revision: number;
  /** Whether centroids are left out as the org has too many. */
  isCut: boolean;
}

export interface OrgCentroids {
  byInsight: ReadonlyMap<string, OwnCentroid>;
  isCut: boolean;
}

export interface CentroidCacheLimits {
  /** Bytes of all orgs. */
  maxBytes: number;
  /** Bytes of one org. */
  maxOrgBytes: number;
}

export interface CentroidCache {
  /** Reads the input of `read` ahead, if it is much, while others may lock the org's insights. */
  prepare(db: Db, orgId: string): Promise<void>;
  /**
   * Returns the centroids of an org as of a revision. The org's insights must be locked. Of an org with too many, those of
   * insights with the fewest sessions are left out, and of these the longest unseen.
   */
  read(trx: Trx, orgId: string, revision: number): Promise<OrgCentroids>;
}

/** Creates a cache of centroids. Each read gets only those changed since the last one. */
export function createCentroidCache({ maxBytes, maxOrgBytes }: CentroidCacheLimits = LIMITS): CentroidCache {
  const orgs = new LRUCache<string, CachedOrg>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => 1 + bytes });
  const shared = shareByKey<void>();

  /** Changes a copy: another read of the org at the same time has its own. */
  const readChanges = async (db: Db, orgId: string, revision: number): Promise<CachedOrg> => {
    const known = orgs.get(orgId);
    const org = known !== undefined && known.revision <= revision ? copyOf(known) : newOrg();
    const isFirst = org.revision === 0;
    const ids = await listChangedCentroids(db, orgId, org.revision);
    for (let from = 0; from < ids.length && !(isFirst && org.isCut); from += CENTROIDS_PER_BATCH) {
      const batch = await listCentroids(db, orgId, ids.slice(from, from + CENTROIDS_PER_BATCH));
      for (const { insight_id, sum, ...row } of batch) setCentroid(org, insight_id, { ...row, sum: readSum(sum) });
      if (org.bytes > maxOrgBytes) cut(org, SHARE_KEPT * maxOrgBytes);
    }
    org.revision = revision;
    if ((orgs.get(orgId)?.revision ?? 0) <= revision) orgs.set(orgId, org);
    return org;
  };

  const prepare = async (db: Db, orgId: string): Promise<void> => {
    const revision = await findRevision(db, orgId);
    const known = orgs.get(orgId)?.revision ?? 0;
    if (revision > known + CHANGES_TO_READ_BEFORE) await readChanges(db, orgId, revision);
  };

  return {
    prepare: (db, orgId) => shared(orgId, () => prepare(db, orgId)),
    read: readChanges,
  };
}

const newOrg = (): CachedOrg => ({ byInsight: new Map(), bytes: 0, revision: 0, isCut: false });

const copyOf = ({ byInsight, ...org }: CachedOrg): CachedOrg => ({ byInsight: new Map(byInsight), ...org });

function setCentroid(org: CachedOrg, insightId: string, centroid: OwnCentroid): void {
  org.bytes += centroid.sum.byteLength - (org.byInsight.get(insightId)?.sum.byteLength ?? 0);
  org.byInsight.set(insightId, centroid);
}

/** Deletes centroids until the others have at most these bytes. */
function cut(org: CachedOrg, bytes: number): void {
  const seenAt = ({ last_seen_at }: OwnCentroid) => last_seen_at?.getTime() ?? 0;
  const leastFirst = [...org.byInsight].sort(
    ([, a], [, b]) => a.occurrence_count - b.occurrence_count || seenAt(a) - seenAt(b),
  );
  for (const [id, { sum }] of leastFirst) {
    if (org.bytes <= bytes) break;
    org.byInsight.delete(id);
    org.bytes -= sum.byteLength;
    org.isCut = true;
  }
}
