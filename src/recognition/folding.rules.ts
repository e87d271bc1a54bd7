/** Text past this length is not looked at. */
const MAX_CHARACTERS = 4_000;

/** Points of Latin, Greek, Cyrillic, Hebrew and Arabic letters, the nukta of Hindi, and characters without width. */
const DROPPED =
  /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u093c\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const VARIATIONS = /\p{Variation_Selector}/gu;
/** Letters that people write for one another, and that NFKC keeps apart. */
const SAME_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ı: 'i',
  ς: 'σ',
  ة: 'ه',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
};
const SAME_LETTER = new RegExp(`[${Object.keys(SAME_LETTERS).join('')}]`, 'gu');
/**
 * A letter of a script without spaces between words (or with endings written onto them, as in Korean), a word of
 * another script, or a mark that ends a clause.
 */
const TOKEN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー])[\p{L}\p{M}\p{N}])+|[.,!?;:\n。、،؛؟।]/gu;
const CLAUSE_END = /^[.,!?;:\n。、،؛؟।]$/;

const UNSPACED =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/u;

/** Returns whether a token is a letter of a script without spaces between words. */
export const isUnspaced = (token: string): boolean => UNSPACED.test(token);

/** Stands for the end of a clause among tokens. */
export const BREAK = '';

/**
 * Returns the first 4,000 characters of a text in NFKC, in lower case and without accents, so that spellings of one word
 * become equal. Scripts whose signs are vowels (such as Devanagari and Thai) keep them.
 */
export const fold = (text: string): string =>
  text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFKD')
    .slice(0, 2 * MAX_CHARACTERS)
    .toLowerCase()
    .replace(DROPPED, '')
    .replace(VARIATIONS, '')
    .replaceAll('\u0901', '\u0902')
    .replace(SAME_LETTER, (letter) => SAME_LETTERS[letter] ?? letter)
    .normalize('NFKC');

/**
 * Returns the folded words of a text, with BREAK where a clause ends. Scripts without spaces give one token a letter, so
 * that a sequence of tokens is found within any text of theirs.
 */
export const tokensOf = (text: string): string[] =>
  (fold(text).match(TOKEN) ?? []).map((token) => (CLAUSE_END.test(token) ? BREAK : token));

/** Returns the folded words of a text without its punctuation. */
export const wordsOf = (text: string): string[] => tokensOf(text).filter((token) => token !== BREAK);
