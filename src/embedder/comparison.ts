import { LRUCache } from 'lru-cache';
import type { EncodedTokens, Model, TextKind } from './encoding.ts';
import {
  bestCosines,
  cosinesOfRare,
  counterpartShare,
  highestOf,
  productOf,
  weightedMean,
  weightOfPiece,
} from './token-closeness.rules.ts';

/** The tokens of texts that are kept, as most questions of an org are compared with the same few: 25 MB. */
const MAX_CACHED_TOKENS = 16_384;

/** A passage as a question is compared with it. */
export interface ComparedPassage {
  title: string;
  /** Its headings. */
  heading: string;
  content: string;
  /** The parts of its content that are compared word by word. */
  sentences: string[];
}

/** How close a question and a passage are: cosines, but for the last four. */
export interface Closeness {
  /** How well the words of the question are covered by those of the passage below its headings, and by one sentence of it. */
  words: number;
  sentenceWords: number;
  /** How well the two rare words of the question are covered that are covered least. */
  least: number;
  secondLeast: number;
  /** How alike the question is as a whole: to the title, and to the sentence that is most like it. */
  title: number;
  sentence: number;
  /** The share of the question's words that have a counterpart. */
  covered: number;
  /** How many words the question has, by their weight, and how many sentences are compared. */
  weight: number;
  sentences: number;
  /** The logarithm of the odds that the passage answers the question, as it is read beside it. */
  reading: number;
}

export interface Comparison {
  /** Encodes a question or a title, which is kept for comparisons. */
  encodeQuery(text: string): Promise<EncodedTokens>;
  /**
   * Compares a question with a passage, each sentence below its headings. The same texts give the same numbers, unless it
   * is canceled on the way.
   */
  compare(question: string, passage: ComparedPassage, isCanceled: () => boolean): Promise<Closeness>;
}

/** Creates the comparison by a model. */
export function createComparison({ vocabulary, encode, read }: Model): Comparison {
  const cache = new LRUCache<string, EncodedTokens>({
    maxSize: MAX_CACHED_TOKENS,
    sizeCalculation: ({ tokens }) => tokens,
  });
  const encodeCached = async (text: string, kind: TextKind): Promise<EncodedTokens> => {
    const key = `${kind} ${text}`;
    const encoded = cache.get(key) ?? (await encode(text, kind));
    cache.set(key, encoded);
    return encoded;
  };
  const encodeQuery = (text: string) => encodeCached(text, 'query');

  return {
    encodeQuery,
    async compare(question, { title, heading, content, sentences }, isCanceled) {
      const { vector, states, pieces } = await encodeQuery(question);
      const weights = pieces.map((id) => weightOfPiece(vocabulary, id));
      const compared: { cosines: number[]; whole: number }[] = [];
      for (const sentence of sentences) {
        if (isCanceled()) break;
        const encoded = await encodeCached(`${heading}\n\n${sentence}`, 'passage');
        compared.push({ cosines: bestCosines(states, encoded.states), whole: productOf(vector, encoded.vector) });
      }
      const titled = await encodeQuery(title);
      const reading = await read(question, `${heading}\n\n${content}`);
      const cosines = highestOf(
        states.length,
        compared.map((one) => one.cosines),
      );
      const words = weightedMean(cosines, weights);
      const [least = words, secondLeast = least] = cosinesOfRare(cosines, weights).sort((a, b) => a - b);
      return {
        words,
        sentenceWords: Math.max(-1, ...compared.map((one) => weightedMean(one.cosines, weights))),
        least,
        secondLeast,
        title: productOf(vector, titled.vector),
        sentence: Math.max(-1, ...compared.map(({ whole }) => whole)),
        covered: Math.max(0, weightedMean(cosines.map(counterpartShare), weights)),
        weight: weights.reduce((sum, one) => sum + one, 0),
        sentences: compared.length,
        reading,
      };
    },
  };
}
