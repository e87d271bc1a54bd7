import type { Closeness } from '../../embedder/embedder.ts';

/** A passage with what speaks for it before it is compared word by word. */
export interface FeaturedPassage {
  /** The id of its item. */
  id: string;
  isForeign: boolean;
  strength: number;
  /** The parts of its strength: BM25 in the unit of the question, the share of headings, and the cosine of the vectors. */
  unitScore: number;
  headed: number;
  cosine: number;
}

/** Features whose lead over the passages of other items counts too. */
const LEADING = ['reading', 'words', 'sentenceWords', 'title', 'sentence', 'strength'] as const;
const OTHERS = ['least', 'secondLeast', 'covered', 'weight', 'sentences', 'unitScore', 'headed', 'cosine'] as const;

/** What is known of a compared passage, in this order. */
export const FEATURES: string[] = [
  ...LEADING,
  ...OTHERS,
  'isForeign',
  'isFirst',
  ...LEADING.map((name) => `lead in ${name}`),
];

/**
 * Returns the features of passages that were compared with a question, strongest first. Where all are of one item, leads are
 * null.
 */
export function featuresOf(passages: { passage: FeaturedPassage; closeness: Closeness }[]): (number | null)[][] {
  const compared = passages.map(({ passage, closeness }) => ({
    ...passage,
    ...closeness,
    weight: Math.log1p(closeness.weight),
    sentences: Math.log1p(closeness.sentences),
  }));
  return compared.map((passage, nth) => {
    const rivals = compared.filter(({ id }) => id !== passage.id);
    const leadIn = (name: (typeof LEADING)[number]): number | null =>
      rivals.length === 0 ? null : passage[name] - Math.max(...rivals.map((rival) => rival[name]));
    return [
      ...LEADING.map((name) => passage[name]),
      ...OTHERS.map((name) => passage[name]),
      Number(passage.isForeign),
      Number(nth === 0),
      ...LEADING.map(leadIn),
    ];
  });
}
