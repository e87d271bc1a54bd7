import type { Db, Trx } from '../../db/connect.ts';
import { type FeatureCounts, featuresOf } from '../../tagging/features.rules.ts';
import { emptySum, readSum, type StoredVector, storedVectorOf, type VectorSum } from '../similarity/vectors.rules.ts';
import { ALL_TEXTS, wordVectorOf } from '../similarity/words.rules.ts';
import { countTerms, findSpace, listTerms, uncountTerms } from './queries.ts';

export interface Space extends VectorSum {
  revision: number;
}

/**
 * Returns the sum of an org's vectors in a space. It is empty if the org's last vectors were of another space, or of
 * another length. Without a length, any will do.
 */
export async function readSpace(db: Db, orgId: string, space: string, dimensions: number | undefined): Promise<Space> {
  const known = await findSpace(db, orgId);
  const revision = known?.revision ?? 0;
  if (known?.space !== space) return { ...emptySum(dimensions ?? 0), revision };
  const sum = readSum(known.sum);
  const isOfLength = dimensions === undefined || sum.length === dimensions;
  return isOfLength ? { sum, vectors: known.vectors, revision } : { ...emptySum(dimensions), revision };
}

/** Returns the vector of the words of a new text of the org, and counts the text from now on. */
export async function vectorOfNewText(trx: Trx, orgId: string, text: string): Promise<StoredVector> {
  const features = featuresOf(text);
  return storedVectorOf(wordVectorOf(features, await countTerms(trx, orgId, bucketsOf(features))));
}

const bucketsOf = ({ buckets }: FeatureCounts): number[] => [ALL_TEXTS, ...buckets];

/** Takes these texts out of the counts. */
export async function uncountTexts(trx: Trx, orgId: string, texts: readonly string[]): Promise<void> {
  if (texts.length === 0) return;
  await uncountTerms(
    trx,
    orgId,
    texts.flatMap((text) => bucketsOf(featuresOf(text))),
  );
}

/** Returns the vector of the words of a text already counted for the org. */
export async function vectorOfKnownText(db: Db, orgId: string, text: string): Promise<StoredVector> {
  const features = featuresOf(text);
  return storedVectorOf(wordVectorOf(features, await listTerms(db, orgId, bucketsOf(features))));
}
