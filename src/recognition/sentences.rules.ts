import { PHRASES } from './phrases/all.rules.ts';
import { SENTENCE_KEYS, type SentenceKey } from './phrases/phrases.rules.ts';

export { SENTENCE_KEYS, type SentenceKey };

/** Sentences of an org that replace ours, by language code and key. */
export type SentenceOverrides = Readonly<Record<string, Readonly<Partial<Record<SentenceKey, string>>> | undefined>>;

export interface SentenceOptions {
  /** The language used where ours has no sentence: the org's default. After it comes English. */
  fallback?: string | null;
  overrides?: SentenceOverrides;
  /** What replaces `{action}`. */
  action?: string;
}

/** The codes of the languages with phrases and sentences. */
export const LANGUAGES_WITH_PHRASES: readonly string[] = [...PHRASES.keys()];

/** Codes of the same language. */
const ALIASES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no', iw: 'he', in: 'id' };

/** Returns the code of a language without its region: `pt` for `pt-BR`, `no` for `nb`. */
export function baseLanguage(language: string): string {
  const code = language.slice(0, 20).toLowerCase().split(/[-_]/)[0] ?? '';
  return Object.hasOwn(ALIASES, code) ? (ALIASES[code] ?? code) : code;
}

/** Returns the first of the languages with phrases, or `en`. */
export const languageWithPhrases = (...languages: (string | null | undefined)[]): string =>
  languages.map((language) => baseLanguage(language ?? '')).find((code) => PHRASES.has(code)) ?? 'en';

/**
 * Returns a fixed sentence in a language, else in the fallback, else in English. In each language, the org's own sentence
 * comes before ours. The result is never empty and has no placeholder; a confirmation always names its action.
 */
export function sentenceOf(
  key: SentenceKey,
  language: string | null,
  { fallback, overrides = {}, action = '' }: SentenceOptions = {},
): string {
  for (const code of [language, fallback, 'en'].map((each) => baseLanguage(each ?? ''))) {
    const own = Object.hasOwn(overrides, code) ? overrides[code]?.[key]?.trim() : undefined;
    const sentence = own === undefined || own === '' ? PHRASES.get(code)?.sentences[key] : own;
    if (sentence !== undefined) return withAction(key, sentence, action);
  }
  throw new Error(`English has no sentence ${key}`);
}

function withAction(key: SentenceKey, sentence: string, action: string): string {
  const isNamed = sentence.includes('{action}');
  const named = isNamed || key !== 'confirm_question' ? sentence : `${sentence} {action}`;
  return named.split('{action}').join(action).trim() || sentence;
}
