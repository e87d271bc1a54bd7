import type { Db } from '../../db/connect.ts';
import { analyse } from '../index/analysis.rules.ts';
import { type CorpusStatistics, rarityOf } from './bm25.rules.ts';
import { stemsOf } from './citations.rules.ts';
import { isCommonWord } from './common-words.rules.ts';
import { scoreUnitOf } from './confidence.rules.ts';
import { countByLanguage, countPostings, listForms, listSimilarWords } from './queries.ts';
import { type QueryWord, queryWordsOf, termsOf, unknownWords, type WeightedTerm } from './query.rules.ts';

const SIMILAR_WORD_LIMITS = { most: 2, least: 0.45 };
/** How much a common word counts, compared with others of its rarity. */
const COMMON_WEIGHT = 0.5;
/** Unknown words past this number are not treated as spelling mistakes. */
const MAX_UNKNOWN_WORDS = 20;

export interface ResolvedQuery {
  corpus: CorpusStatistics;
  /** What its scores are measured in. */
  scoreUnit: number;
  /** The rarity of each of its words, by approximate stem. Words that no chunk has count too. */
  rarities: ReadonlyMap<string, number>;
  terms: (WeightedTerm & { rarity: number })[];
}

/** Resolves a query to terms in all languages of the org. Returns undefined if no chunk matches. */
export async function resolveQuery(db: Db, orgId: string, query: string): Promise<ResolvedQuery | undefined> {
  const counts = await countByLanguage(db, orgId);
  const chunks = counts.reduce((sum, count) => sum + count.chunks, 0);
  const words = counts.reduce((sum, count) => sum + count.words, 0);
  if (words === 0) return undefined;
  const corpus = { chunks, averageLength: words / chunks };
  const languages = counts.flatMap(({ has_stems, language }) => (has_stems && language !== null ? [language] : []));
  const allLanguages = counts.flatMap(({ language }) => language ?? []);
  const hasOthers = counts.some(({ has_stems }) => !has_stems);

  const analysed = analyse(query);
  const asked = queryWordsOf(await listForms(db, analysed.words, languages), languages, hasOthers);
  const lexemes = [...new Set([...asked.flatMap((word) => word.lexemes), ...analysed.grams])];
  const known = await countPostings(db, orgId, lexemes);
  const unknown = unknownWords(asked, known)
    .flatMap((word) => word.lexemes)
    .slice(0, MAX_UNKNOWN_WORDS);
  const similar = unknown.length === 0 ? [] : await listSimilarWords(db, orgId, unknown, SIMILAR_WORD_LIMITS);
  const found = similar.map(({ lexeme }) => lexeme).filter((lexeme) => !known.has(lexeme));
  const all = found.length === 0 ? known : new Map([...known, ...(await countPostings(db, orgId, found))]);
  const common = asked.filter(({ word }) => isCommonWord(word, allLanguages));
  const terms = weakened(termsOf(lexemes, similar, all), common);
  if (terms.length === 0) return undefined;
  const rarest = rarityOf(1, corpus);
  const rarity = (lexeme: string) => Math.min(rarest, rarityOf(known.get(lexeme) ?? 0, corpus));
  const rarityOfWord = (word: QueryWord) =>
    Math.max(...word.lexemes.map(rarity)) * (common.includes(word) ? COMMON_WEIGHT : 1);
  const rarities = new Map([
    ...asked.map((word) => [stemsOf(word.word)[0] ?? word.word, rarityOfWord(word)] as const),
    ...analysed.grams.map((gram) => [gram, rarity(gram)] as const),
  ]);
  return {
    corpus,
    scoreUnit: scoreUnitOf(rarities, rarest),
    rarities,
    terms: terms.map((term) => ({ ...term, rarity: term.weight * rarityOf(term.chunks, corpus) })),
  };
}

/** Returns the terms with less weight for those of common words. */
function weakened(terms: WeightedTerm[], common: QueryWord[]): WeightedTerm[] {
  const lexemes = new Set(common.flatMap((word) => word.lexemes));
  return terms.map((term) => (lexemes.has(term.lexeme) ? { ...term, weight: term.weight * COMMON_WEIGHT } : term));
}
