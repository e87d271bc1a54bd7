/**
 * The searchable parts of a text: words, to be stemmed by the database, and letters of scripts without spaces between
 * words.
 */
export interface AnalysedText {
  words: string;
  grams: string[];
}

/** The same letters as in the search of conversations: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean. */
const UNSPACED_RUN =
  /[\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ebd\u0ec0-\u0ece\u1000-\u1049\u1780-\u17d3\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\u{20000}-\u{3ffff}]+/gu;
const KANJI = /^\p{Script=Han}$/u;
const HIRAGANA = /^\p{Script=Hiragana}+$/u;
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|\p{Variation_Selector}/gu;
/** The address after the text of a link or an image. */
const ADDRESS = /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*){0,5}(?:\s+"[^"]*")?\)/g;
const COMMENT_OR_TAG = /<!--[\s\S]{0,1000}?-->|<\/?[a-zA-Z][^<>]{0,1000}>/g;
/** Text past this length in one chunk is not searched. */
const MAX_ANALYSED_LENGTH = 50_000;

/** Analyses Markdown for search. */
export const analyseMarkdown = (markdown: string): AnalysedText => analyse(proseOf(markdown));

/** Returns Markdown without tags and link addresses. */
export const proseOf = (markdown: string): string =>
  markdown.slice(0, MAX_ANALYSED_LENGTH).replace(ADDRESS, '] ').replace(COMMENT_OR_TAG, ' ');

/**
 * Analyses text for search. Letters without spaces become pairs of adjacent letters and single kanji. Pairs of hiragana
 * are left out, as they are mostly grammar.
 */
export function analyse(text: string): AnalysedText {
  const readable = text.slice(0, MAX_ANALYSED_LENGTH).toWellFormed().normalize('NFKC').replace(INVISIBLE, '');
  return { words: readable.replace(UNSPACED_RUN, ' '), grams: (readable.match(UNSPACED_RUN) ?? []).flatMap(gramsOf) };
}

/** Whether a lexeme belongs to such a script and is not a word form. */
export const isGram = (lexeme: string): boolean => lexeme.search(UNSPACED_RUN) === 0;

function gramsOf(run: string): string[] {
  const letters = [...run];
  const pairs = letters.slice(1).map((letter, nth) => `${letters[nth]}${letter}`);
  const grams = letters.length === 1 ? letters : pairs;
  const singles = letters.length === 1 ? [] : letters.filter((letter) => KANJI.test(letter));
  return [...grams.filter((gram) => !HIRAGANA.test(gram)), ...singles];
}
