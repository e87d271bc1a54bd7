import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { embedInParts, type PartHandlers } from '../../knowledge/embedding/parts.ts';
import { lockInsights } from '../queries.ts';
import {
  addVector,
  bytesOf,
  emptySum,
  readVector,
  storedVectorOf,
  type VectorSum,
} from '../similarity/vectors.rules.ts';
import { WORDS } from '../similarity/words.rules.ts';
import type { StatementModel } from './models.ts';
import {
  clearVectors,
  listCentroidsOf,
  listOwnVectors,
  listUnaligned,
  listUnassigned,
  type NewVector,
  type UnalignedStatement,
  updateVectors,
  upsertCentroids,
  upsertSpace,
} from './queries.ts';
import { readSpace, vectorOfKnownText } from './spaces.service.ts';

/** Of each insight, this many of its latest statements get a vector of a new model. */
const STATEMENTS_PER_INSIGHT = 8;
const INSIGHTS_PER_BATCH = 4;
/** At most this many existing vectors of statements are in memory at once. */
const VECTORS_PER_READ = 200;

export interface EmbeddingDeps {
  db: Db;
  /** Returns the model for comparing an org's statements. Undefined: words do. */
  findModel(orgId: string): Promise<StatementModel | undefined>;
  pause: PartHandlers<unknown>['pause'];
  /** The attempt of the activity, from 1. */
  attempt: number;
  /** Is told of a statement without a vector. */
  onLeftOut(statementId: string): void;
}

/**
 * Makes the vectors of a session's new statements with the org's embedding model, or the product's built-in one.
 * Without both, words decide. A statement refused by the model, or failing there for good, gets a vector of nothing: it
 * becomes a separate insight.
 */
export async function embedStatements(deps: EmbeddingDeps, orgId: string, sessionId: string): Promise<void> {
  const { db } = deps;
  const model = await deps.findModel(orgId);
  const space = model?.space ?? null;
  const statements = (await listUnassigned(db, orgId, sessionId)).filter((one) => one.space !== space);
  if (statements.length === 0) return;
  if (model === undefined) await clearVectors(db, orgId, sessionId);
  else await makeVectors(deps, model, statements, (vectors) => updateVectors(db, orgId, vectors));
}

/** Makes the vectors of statements, and stores those of each part at once. A connection saved anew is asked anew. */
async function makeVectors(
  { pause, attempt, onLeftOut }: EmbeddingDeps,
  { space, embed, remember }: StatementModel,
  statements: { id: string; content: string }[],
  store: (vectors: NewVector[]) => Promise<void>,
): Promise<void> {
  const items = statements.map(({ id, content }) => ({ id, text: content }));
  await remember(() =>
    embedInParts(items, {
      embed,
      pause,
      attempt,
      store: (part, vectors) =>
        store(
          part.map(({ id }, nth) => ({
            id,
            space,
            vector: bytesOf(storedVectorOf(vectors[nth] ?? new Float32Array())),
          })),
        ),
      leaveOut({ id }, { dimensions }) {
        onLeftOut(id);
        return store([{ id, space, vector: bytesOf(new Int16Array(dimensions)) }]);
      },
    }),
  );
}

/**
 * Makes missing centroids of the org's present model for some insights, from their latest statements. Each is stored
 * once all its vectors are made. Returns whether none is left. Repeated, it continues.
 */
export async function alignInsights(deps: EmbeddingDeps, orgId: string): Promise<boolean> {
  const { db } = deps;
  const model = await deps.findModel(orgId);
  const space = model?.space ?? WORDS;
  const { insightIds, statements } = await listUnaligned(db, orgId, space, {
    insights: INSIGHTS_PER_BATCH,
    statements: STATEMENTS_PER_INSIGHT,
  });
  if (insightIds.length === 0) return true;
  if (model === undefined) {
    await storeAligned(db, orgId, { space, vectors: await wordVectorsOf(db, orgId, statements), insightIds });
    return false;
  }
  const empty = insightIds.filter((id) => statements.every(({ insight_id }) => insight_id !== id));
  if (empty.length > 0) await storeAligned(db, orgId, { space, vectors: [], insightIds: empty });
  const made = new Map<string, NewVector>();
  if (statements.length > 0)
    await makeVectors(deps, model, statements, async (vectors) => {
      for (const vector of vectors) made.set(vector.id, vector);
      const whole = wholeInsightsOf(made, statements, vectors);
      if (whole.insightIds.length > 0) await storeAligned(db, orgId, { space, ...whole });
    });
  return false;
}

/**
 * Returns the insights of the latest vectors with a vector for every statement, and these vectors. A sum of a part of
 * them would stay.
 */
function wholeInsightsOf(
  made: ReadonlyMap<string, NewVector>,
  statements: UnalignedStatement[],
  latest: NewVector[],
): Omit<Aligned, 'space'> {
  const ids = new Set(latest.map(({ id }) => id));
  const touched = new Set(statements.filter(({ id }) => ids.has(id)).map(({ insight_id }) => insight_id));
  const ofInsight = (insightId: string) => statements.filter(({ insight_id }) => insight_id === insightId);
  const insightIds = [...touched].filter((insightId) => ofInsight(insightId).every(({ id }) => made.has(id)));
  return { insightIds, vectors: insightIds.flatMap(ofInsight).flatMap(({ id }) => made.get(id) ?? []) };
}

async function wordVectorsOf(
  db: Db,
  orgId: string,
  statements: { id: string; content: string }[],
): Promise<NewVector[]> {
  const made: NewVector[] = [];
  for (const { id, content } of statements) {
    const vector = await vectorOfKnownText(db, orgId, content);
    made.push({ id, space: WORDS, vector: bytesOf(vector) });
  }
  return made;
}

interface Aligned {
  space: string;
  vectors: NewVector[];
  insightIds: string[];
}

/**
 * Stores vectors, and the insights' resulting sums in the space. Those aligned meanwhile stay as they are, with the
 * vectors of their statements. If no statement is left, the org's sum stays too.
 */
async function storeAligned(db: Db, orgId: string, { space, vectors, insightIds }: Aligned): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockInsights(trx, orgId);
    const known = await listCentroidsOf(trx, orgId, insightIds);
    const ids = known.filter((centroid) => centroid.space !== space).map(({ insight_id }) => insight_id);
    if (ids.length === 0) return;
    await updateVectors(trx, orgId, vectors, ids);
    const dimensions = vectors[0] === undefined ? undefined : readVector(vectors[0].vector).length;
    const mean = await readSpace(trx, orgId, space, dimensions);
    const sums = new Map(ids.map((id) => [id, emptySum(mean.sum.length)]));
    for (const [insightId, sum] of sums) await addOwnVectors(trx, orgId, { insightId, space }, [mean, sum]);
    const revision = await upsertSpace(trx, orgId, { space, sum: bytesOf(mean.sum), vectors: mean.vectors });
    const centroids = [...sums].map(([insight_id, { sum, vectors: count }]) => ({
      ...{ insight_id, sum: bytesOf(sum), vectors: count },
    }));
    await upsertCentroids(trx, orgId, { space, revision }, centroids);
  });
}

/** Adds the vectors of an insight's own statements in a space to these sums. */
async function addOwnVectors(
  trx: Trx,
  orgId: string,
  of: { insightId: string; space: string },
  sums: VectorSum[],
): Promise<void> {
  for (let after: { said_at: Date; id: string } | undefined; ; ) {
    const own = await listOwnVectors(trx, orgId, { ...of, after }, VECTORS_PER_READ);
    for (const { vector } of own) for (const sum of sums) addVector(sum, readVector(vector));
    if (own.length < VECTORS_PER_READ) return;
    after = own.at(-1);
  }
}
