const MAX_POSTINGS = 150_000;
const MAX_RARE_TERMS = 12;
const FUZZY_WEIGHT = 0.8;

/** One form of a word of a query: as it stands where `language` is null, else its stem in that language. */
export interface WordForm {
  position: number;
  language: string | null;
  lexeme: string;
}

/** What any of the chunks with one of the lexemes has. */
export interface QueryWord {
  word: string;
  lexemes: string[];
}

/** A lexeme to look for, with how much it counts beside others. */
export interface WeightedTerm {
  lexeme: string;
  weight: number;
  /** How many chunks hold it. */
  chunks: number;
}

export interface SimilarWord {
  word: string;
  lexeme: string;
  similarity: number;
}

/**
 * The words of a query with their forms in all the languages. A word that one of them has everywhere, such as "the", is left out, unless
 * there is no other. `languages` are those with stems; `hasOthers` says whether there are texts that are found by words as they stand.
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

/** The words of which no chunk holds any form. */
export const unknownWords = (words: QueryWord[], chunksOf: ReadonlyMap<string, number>): QueryWord[] =>
  words.filter(({ lexemes }) => lexemes.every((lexeme) => !chunksOf.has(lexeme)));

/** What to look for. Where that is in too many places, only what is in the fewest. */
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
