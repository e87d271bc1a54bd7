import words from './words.json' with { type: 'json' };

/** The words of the pages of a help center. */
export type HelpWords = (typeof words)['en'];

const WORDS = new Map<string, HelpWords>(Object.entries(words));
/** Codes of Norwegian, whose words are under `no`. */
const NORWEGIAN = ['nb', 'nn'];

/** Returns the words in a language, by its code, or in English. */
export function helpWordsIn(language: string): HelpWords {
  const code = language.toLowerCase().split(/[-_]/)[0] ?? '';
  return WORDS.get(NORWEGIAN.includes(code) ? 'no' : code) ?? words.en;
}
