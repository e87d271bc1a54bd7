import { LRUCache } from 'lru-cache';
import type { EncodedTokens, Model, TextKind } from './encoding.ts';
import { closenessOf, productOf, weightOfPiece } from './token-closeness.rules.ts';

/** The tokens of texts that are kept, as most questions of an org are compared with the same few: 25 MB. */
const MAX_CACHED_TOKENS = 16_384;

/** A passage as a question is compared with it. */
export interface ComparedPassage {
  title: string;
  /** Its headings. */
  heading: string;
  sentences: string[];
}

/** How close a question and a passage are, as cosines. */
export interface Closeness {
  /** How well the words of the question are covered by those of the passage. */
  words: number;
  /** How alike the question and the title are, each as a whole. */
  title: number;
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
export function createComparison({ vocabulary, encode }: Model): Comparison {
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
    async compare(question, { title, heading, sentences }, isCanceled) {
      const { vector, states, pieces } = await encodeQuery(question);
      const asked = { states, weights: pieces.map((id) => weightOfPiece(vocabulary, id)) };
      const tokens: Float32Array[] = [];
      for (const sentence of sentences) {
        if (isCanceled()) break;
        tokens.push(...(await encodeCached(`${heading}\n\n${sentence}`, 'passage')).states);
      }
      const titled = await encodeQuery(title);
      return { words: closenessOf(asked, tokens), title: productOf(vector, titled.vector) };
    },
  };
}
