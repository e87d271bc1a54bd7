import { lockSession } from '../../conversations/sessions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { countStatements, lockInsights, refreshSessions } from '../queries.ts';
import { findNearest, measureOf } from '../similarity/centroids.rules.ts';
import {
  addVector,
  bytesOf,
  emptySum,
  readVector,
  type StoredVector,
  type VectorSum,
} from '../similarity/vectors.rules.ts';
import { WORD_DIMENSIONS, WORDS } from '../similarity/words.rules.ts';
import { reopenIfOccurred } from '../states/reopening.service.ts';
import type { CentroidCache } from './centroid-cache.ts';
import { createInsights, type NewInsight } from './creation.service.ts';
import { assign, isAligned, listUnassigned, upsertCentroids, upsertSpace } from './queries.ts';
import { readSpace, type Space, vectorOfNewText } from './spaces.service.ts';

/** `aligned` is false if vectors of one space have to be made first: nothing is assigned then. */
export interface AssignmentResult {
  aligned: boolean;
  created: number;
  /** The number of insights newly containing the session. */
  occurrences: number;
  /** The number of insights compared, if the org has more than can be compared. */
  comparedWith?: number;
}

const NOTHING_TO_ASSIGN: AssignmentResult = { aligned: true, created: 0, occurrences: 0 };

/** Statements with their insights, as they are decided one after the other. */
interface Decisions {
  space: string;
  mean: Space;
  /** The insights' changed own sums, and their roots. */
  own: Map<string, { sum: VectorSum; rootId: string }>;
  created: NewInsight[];
  assigned: { id: string; own_insight_id: string; has_terms: boolean; vector: StoredVector }[];
}

/**
 * Assigns a session's new statements to similar insights, or to new ones, in one pass and in their order. Repeated, it
 * finds nothing left.
 */
export async function assignStatements(
  db: Db,
  cache: CentroidCache,
  orgId: string,
  sessionId: string,
): Promise<AssignmentResult> {
  await cache.prepare(db, orgId);
  return inTransaction(db, async (trx) => {
    await lockSession(trx, orgId, sessionId);
    await lockInsights(trx, orgId);
    const statements = await listUnassigned(trx, orgId, sessionId);
    const [first] = statements;
    if (first === undefined) return NOTHING_TO_ASSIGN;
    const space = first.space ?? WORDS;
    const isMixed = statements.some((one) => one.space !== first.space);
    if (isMixed || !(await isAligned(trx, orgId, space))) return { ...NOTHING_TO_ASSIGN, aligned: false };
    const dimensions = first.vector === null ? WORD_DIMENSIONS : readVector(first.vector).length;
    const mean = await readSpace(trx, orgId, space, dimensions);
    const decisions: Decisions = { space, mean, own: new Map(), created: [], assigned: [] };
    const known = await cache.read(trx, orgId, mean.revision);
    const centroids = new Map([...known.byInsight].filter(([, centroid]) => centroid.space === space));
    await decide(trx, orgId, statements, { decisions, centroids });
    await store(trx, orgId, sessionId, decisions);
    const counts = { created: decisions.created.length, occurrences: decisions.own.size };
    return { aligned: true, ...counts, ...(known.isCut && { comparedWith: centroids.size }) };
  });
}

interface Knowledge {
  decisions: Decisions;
  centroids: ReadonlyMap<string, VectorSum & { root_id: string }>;
}

/**
 * Decides about statements one after the other: each may make the insight of the next one. Insights merged into others
 * still attract similar statements.
 */
async function decide(
  trx: Trx,
  orgId: string,
  statements: { id: string; content: string; vector: Buffer | null }[],
  { decisions, centroids }: Knowledge,
): Promise<void> {
  const { space, mean, own, assigned, created } = decisions;
  const sums = new Map<string, VectorSum>(centroids);
  for (const { id, content, vector: stored } of statements) {
    const vector = stored === null ? await vectorOfNewText(trx, orgId, content) : readVector(stored);
    addVector(mean, vector);
    const nearest = findNearest(vector, sums, mean, measureOf(space));
    const insightId = nearest?.id ?? newId();
    if (nearest === undefined) created.push({ id: insightId, content, source: id });
    const known = sums.get(insightId);
    const sum = own.get(insightId)?.sum ?? (known === undefined ? emptySum(vector.length) : copyOf(known));
    addVector(sum, vector);
    sums.set(insightId, sum);
    own.set(insightId, { sum, rootId: centroids.get(insightId)?.root_id ?? insightId });
    assigned.push({ id, own_insight_id: insightId, has_terms: stored === null, vector });
  }
}

/** Cached sums stay as they are: the transaction may fail. */
const copyOf = ({ sum, vectors }: VectorSum): VectorSum => ({ sum: sum.slice(), vectors });

async function store(trx: Trx, orgId: string, sessionId: string, decisions: Decisions): Promise<void> {
  const { space, mean, own, created, assigned } = decisions;
  const ids = [...new Set([...own.values()].map(({ rootId }) => rootId))];
  await createInsights(trx, orgId, created);
  const rows = assigned.map(({ vector, ...one }) => ({ ...one, space, vector: bytesOf(vector) }));
  await assign(trx, orgId, rows);
  const revision = await upsertSpace(trx, orgId, { space, sum: bytesOf(mean.sum), vectors: mean.vectors });
  const centroids = [...own].map(([insight_id, { sum }]) => ({
    ...{ insight_id, sum: bytesOf(sum.sum), vectors: sum.vectors },
  }));
  await upsertCentroids(trx, orgId, { space, revision }, centroids);
  const newPlaces = await refreshSessions(trx, orgId, ids, [sessionId]);
  await countStatements(
    trx,
    orgId,
    assigned.map(({ id }) => id),
    newPlaces,
  );
  await announce(
    trx,
    orgId,
    created.map(({ id }) => ({ type: 'insight-created', subject_id: id, payload: { session_id: sessionId } })),
  );
  await reopenIfOccurred(trx, orgId, ids);
}
