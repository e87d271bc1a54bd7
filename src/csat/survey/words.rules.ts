import words from './words.json' with { type: 'json' };

/** The words of a survey. `{n}` is a score. */
export type SurveyWords = (typeof words)['en'];

/** The same as those of the widget, by language code. */
const WORDS = new Map<string, SurveyWords>(Object.entries(words));
/** Codes of Norwegian, whose words are under `no`. */
const NORWEGIAN = ['nb', 'nn'];

/** Returns the first of the languages that has words, as its code with its words. English comes last. */
export function wordsIn(...languages: (string | null)[]): { language: string; words: SurveyWords } {
  for (const one of languages) {
    const code = (one ?? '').toLowerCase().split(/[-_]/)[0] ?? '';
    const language = NORWEGIAN.includes(code) ? 'no' : code;
    const found = WORDS.get(language);
    if (found !== undefined) return { language, words: found };
  }
  return { language: 'en', words: words.en };
}
