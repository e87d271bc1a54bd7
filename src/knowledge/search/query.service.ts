import type { Db } from '../../db/connect.ts';
import { analyse } from '../index/analysis.rules.ts';
import { type CorpusStatistics, rarityOf } from './bm25.rules.ts';
import { stemsOf } from './citations.rules.ts';
import { scoreUnitOf } from './confidence.rules.ts';
import { countByLanguage, countPostings, listForms, listSimilarWords } from './queries.ts';
import { queryWordsOf, termsOf, unknownWords, type WeightedTerm } from './query.rules.ts';

const SIMILAR_WORD_LIMITS = { most: 2, least: 0.45 };
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
  const terms = termsOf(lexemes, similar, all);
  if (terms.length === 0) return undefined;
  const rarity = (lexeme: string) => rarityOf(known.get(lexeme) ?? 0, corpus);
  const rarities = new Map([
    ...asked.map(({ word, lexemes: forms }) => [stemsOf(word)[0] ?? word, Math.max(...forms.map(rarity))] as const),
    ...analysed.grams.map((gram) => [gram, rarity(gram)] as const),
  ]);
  return {
    corpus,
    scoreUnit: scoreUnitOf(rarities, rarityOf(0, corpus)),
    rarities,
    terms: terms.map((term) => ({ ...term, rarity: term.weight * rarityOf(term.chunks, corpus) })),
  };
}
