const MAX_POSTINGS = 150_000;
const MAX_RARE_TERMS = 12;
const FUZZY_WEIGHT = 0.8;

/** A form of a word of a query: the word itself if `language` is null, otherwise its stem in that language. */
export interface WordForm {
  position: number;
  language: string | null;
  lexeme: string;
}

/** A word of a query. A chunk with one of the lexemes contains it. */
export interface QueryWord {
  word: string;
  lexemes: string[];
}

/** A lexeme to search for, with its relative weight. */
export interface WeightedTerm {
  lexeme: string;
  weight: number;
  /** Number of chunks with this lexeme. */
  chunks: number;
}

export interface SimilarWord {
  word: string;
  lexeme: string;
  similarity: number;
}

/**
 * Returns the words of a query with their forms in all languages. Stop words of any language, such as "the", are left
 * out, unless there are no other words. `languages` are those with stems. `hasOthers`: some texts are indexed without
 * stems.
 */
export function queryWordsOf(forms: WordForm[], languages: string[], hasOthers: boolean): QueryWord[] {
  const words = [...Map.groupBy(forms, ({ position }) => position).values()].map((own) => {
    const word = own.find(({ language }) => language === null)?.lexeme ?? '';
    const stems = own.filter(({ language }) => language !== null).map(({ lexeme }) => lexeme);
    const isEverywhere = stems.length < languages.length;
    return { word, lexemes: [...new Set([...stems, ...(hasOthers || isEverywhere ? [word] : [])])], isEverywhere };
  });
  const telling = words.filter(({ isEverywhere }) => !isEverywhere);
  const chosen = telling.length > 0 ? telling : words;
  return [...new Map(chosen.map(({ word, lexemes }) => [word, { word, lexemes }])).values()];
}

/** Returns the words without any chunk. */
export const unknownWords = (words: QueryWord[], chunksOf: ReadonlyMap<string, number>): QueryWord[] =>
  words.filter(({ lexemes }) => lexemes.every((lexeme) => !chunksOf.has(lexeme)));

/** Returns the terms to search for. If they have too many postings, returns only the rarest. */
export function termsOf(
  lexemes: string[],
  similar: SimilarWord[],
  chunksOf: ReadonlyMap<string, number>,
): WeightedTerm[] {
  const weights = new Map(lexemes.map((lexeme) => [lexeme, 1]));
  for (const { lexeme, similarity } of similar)
    weights.set(lexeme, Math.max(weights.get(lexeme) ?? 0, FUZZY_WEIGHT * similarity));
  const terms = [...weights]
    .map(([lexeme, weight]) => ({ lexeme, weight, chunks: chunksOf.get(lexeme) ?? 0 }))
    .filter(({ chunks }) => chunks > 0)
    .sort((a, b) => a.chunks - b.chunks || (a.lexeme < b.lexeme ? -1 : 1));
  const postings = terms.reduce((sum, { chunks }) => sum + chunks, 0);
  return postings > MAX_POSTINGS ? terms.slice(0, MAX_RARE_TERMS) : terms;
}
