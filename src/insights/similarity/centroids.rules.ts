import { addSum, emptySum, isNothing, type StoredVector, type VectorSum } from './vectors.rules.ts';
import { isBuiltIn, WORDS } from './words.rules.ts';

/** How vectors of a space are compared. */
export interface Measure {
  /** From this similarity on, a statement is an occurrence of an insight. */
  threshold: number;
  /** From this similarity on, measured without the mean, both are the same as long as there are few vectors. */
  sameThreshold: number;
}

/** Vectors of models all point in nearly one direction. */
const BY_MODEL: Measure = { threshold: 0.45, sameThreshold: 0.97 };
/**
 * multilingual-e5-small, chosen on Banking77 and CLINC150: of two texts about different matters, one pair in 300 is this
 * alike in one trade, and one in 2,500 in many.
 */
const BY_BUILT_IN: Measure = { threshold: 0.45, sameThreshold: 0.92 };
const BY_WORDS: Measure = { threshold: 0.25, sameThreshold: 0.5 };
/** As long as there are so few vectors, their mean says little. */
const FEW_VECTORS = 100;

export function measureOf(space: string): Measure {
  if (space === WORDS) return BY_WORDS;
  return isBuiltIn(space) ? BY_BUILT_IN : BY_MODEL;
}

export interface Nearest {
  id: string;
  similarity: number;
}

/**
 * Returns the centroid nearest to a vector, or undefined if none is near enough. Similarity is measured from the mean
 * of all vectors of the org. `mean` is their sum, this one included.
 */
export function findNearest(
  vector: StoredVector,
  centroids: ReadonlyMap<string, VectorSum>,
  mean: VectorSum,
  { threshold, sameThreshold }: Measure,
): Nearest | undefined {
  if (isNothing(vector)) return undefined;
  const centre = centreOf(mean);
  const own = directionOf(vector, centre);
  const plain = mean.vectors <= FEW_VECTORS ? directionOf(vector, null) : undefined;
  let best: Nearest | undefined;
  for (const [id, centroid] of centroids) {
    if (centroid.vectors === 0 || centroid.sum.length !== vector.length) continue;
    const plainSimilarity = plain === undefined ? 0 : similarityTo(centroid, null, plain);
    const similarity = plainSimilarity >= sameThreshold ? plainSimilarity : similarityTo(centroid, centre, own);
    if (similarity >= threshold && (best === undefined || similarity > best.similarity)) best = { id, similarity };
  }
  return best;
}

/** Returns the items with vectors most similar to the sum, the most central first. */
export function mostCentral<Item extends { vector: StoredVector }>(
  items: readonly Item[],
  centroid: VectorSum,
  limit: number,
): Item[] {
  const direction = { parts: Float64Array.from(centroid.sum), length: Math.hypot(...centroid.sum) };
  return items
    .filter(({ vector }) => vector.length === centroid.sum.length)
    .map((item) => ({
      item,
      similarity: similarityTo({ sum: Int32Array.from(item.vector), vectors: 1 }, null, direction),
    }))
    .sort((a, b) => b.similarity - a.similarity) // a stable sort
    .slice(0, limit)
    .map(({ item }) => item);
}

/** Returns the sums of root insights, by their id. */
export function sumByRoot(own: Iterable<{ root_id: string } & VectorSum>): Map<string, VectorSum> {
  const roots = new Map<string, VectorSum>();
  for (const { root_id, ...sum } of own) {
    const known = roots.get(root_id) ?? emptySum(sum.sum.length);
    addSum(known, sum);
    roots.set(root_id, known);
  }
  return roots;
}

interface Direction {
  parts: Float64Array;
  length: number;
}

const centreOf = ({ sum, vectors }: VectorSum): Float64Array => Float64Array.from(sum, (part) => part / vectors);

function directionOf(vector: StoredVector, centre: Float64Array | null): Direction {
  const parts = Float64Array.from(vector, (part, nth) => part - (centre?.[nth] ?? 0));
  return { parts, length: Math.sqrt(parts.reduce((squares, part) => squares + part * part, 0)) };
}

/** The innermost loop of assignment: it allocates no list. */
function similarityTo({ sum, vectors }: VectorSum, centre: Float64Array | null, to: Direction): number {
  let product = 0;
  let squares = 0;
  for (let nth = 0; nth < sum.length; nth++) {
    const part = (sum[nth] ?? 0) / vectors - (centre === null ? 0 : (centre[nth] ?? 0));
    product += part * (to.parts[nth] ?? 0);
    squares += part * part;
  }
  const lengths = Math.sqrt(squares) * to.length;
  return lengths === 0 ? 0 : product / lengths;
}
