import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { type Embed, type EmbeddingModel, findEmbeddingModel } from '../../knowledge/embedding/service.ts';
import type { Secrets } from '../../secrets.ts';
import { addVector, bytesOf, emptySum, readVector, storedVectorOf } from '../likeness/vectors.rules.ts';
import { spaceOfModel, WORD_DIMENSIONS, WORDS } from '../likeness/words.rules.ts';
import { lockInsights } from '../queries.ts';
import {
  clearVectors,
  listCentroidsOf,
  listOwnVectors,
  listUnaligned,
  listUnassigned,
  type NewVector,
  updateVectors,
  upsertCentroids,
  upsertSpace,
} from './queries.ts';
import { readSpace, vectorOfKnownText } from './spaces.service.ts';

/** Of each insight, this many of its latest statements get a vector of a new model. */
const STATEMENTS_PER_INSIGHT = 8;
const INSIGHTS_PER_BATCH = 4;

export interface EmbeddingDeps {
  db: Db;
  secrets: Secrets;
  embed: Embed;
}

/** Makes the vectors of a session's new statements with the org's embedding model. Without one, words decide. */
export async function embedStatements({ db, secrets, embed }: EmbeddingDeps, orgId: string, sessionId: string) {
  const model = await findEmbeddingModel(db, secrets, orgId);
  const space = model === undefined ? null : spaceOfModel(model.embedding_model);
  const statements = (await listUnassigned(db, orgId, sessionId)).filter((one) => one.space !== space);
  if (statements.length === 0) return;
  if (model === undefined) await clearVectors(db, orgId, sessionId);
  else await updateVectors(db, orgId, await vectorsOf(embed, model, statements));
}

async function vectorsOf(
  embed: Embed,
  model: EmbeddingModel,
  statements: { id: string; content: string }[],
): Promise<NewVector[]> {
  const vectors = await embed(
    model,
    statements.map(({ content }) => content),
  );
  return statements.flatMap(({ id }, nth) => {
    const vector = vectors[nth];
    return vector === undefined
      ? []
      : [{ id, space: spaceOfModel(model.embedding_model), vector: bytesOf(storedVectorOf(vector)) }];
  });
}

/**
 * Makes centroids of the org's present model for some insights that lack them, from their latest statements. Returns
 * whether none is left. Repeated, it goes on.
 */
export async function alignInsights({ db, secrets, embed }: EmbeddingDeps, orgId: string): Promise<boolean> {
  const model = await findEmbeddingModel(db, secrets, orgId);
  const space = model === undefined ? WORDS : spaceOfModel(model.embedding_model);
  const { insightIds, statements } = await listUnaligned(db, orgId, space, {
    insights: INSIGHTS_PER_BATCH,
    statements: STATEMENTS_PER_INSIGHT,
  });
  if (insightIds.length === 0) return true;
  const vectors =
    model === undefined ? await wordVectorsOf(db, orgId, statements) : await vectorsOf(embed, model, statements);
  await storeAligned(db, orgId, { space, vectors, insightIds });
  return false;
}

async function wordVectorsOf(
  db: Db,
  orgId: string,
  statements: { id: string; content: string }[],
): Promise<NewVector[]> {
  const { vectors: texts } = await readSpace(db, orgId, WORDS, WORD_DIMENSIONS);
  const made: NewVector[] = [];
  for (const { id, content } of statements) {
    const vector = await vectorOfKnownText(db, orgId, content, Math.max(1, texts));
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
 * Stores vectors, and the sums of what the insights now have in the space. Those aligned meanwhile stay as they are, with the
 * vectors of their statements. Where no statement is left, the org's sum stays too.
 */
async function storeAligned(db: Db, orgId: string, { space, vectors, insightIds }: Aligned): Promise<void> {
  await inTransaction(db, async (trx) => {
    await lockInsights(trx, orgId);
    const known = await listCentroidsOf(trx, orgId, insightIds);
    const ids = known.filter((centroid) => centroid.space !== space).map(({ insight_id }) => insight_id);
    await updateVectors(trx, orgId, vectors, ids);
    const own = await listOwnVectors(trx, orgId, ids, space);
    const dimensions = own[0] === undefined ? undefined : readVector(own[0].vector).length;
    const mean = await readSpace(trx, orgId, space, dimensions);
    const sums = new Map(ids.map((id) => [id, emptySum(mean.sum.length)]));
    for (const { insight_id, vector } of own)
      for (const sum of [mean, sums.get(insight_id)]) if (sum !== undefined) addVector(sum, readVector(vector));
    const revision = await upsertSpace(trx, orgId, { space, sum: bytesOf(mean.sum), vectors: mean.vectors });
    const centroids = [...sums].map(([insight_id, { sum, vectors: count }]) => ({
      ...{ insight_id, sum: bytesOf(sum), vectors: count },
    }));
    await upsertCentroids(trx, orgId, { space, revision }, centroids);
  });
}
