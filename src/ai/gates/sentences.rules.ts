import { PHRASES } from './phrases/all.rules.ts';
import { SENTENCE_KEYS, type SentenceKey } from './phrases/phrases.rules.ts';

export { SENTENCE_KEYS, type SentenceKey };

/** Sentences of an org that replace ours, by language. */
export type SentenceOverrides = Partial<Record<string, Partial<Record<SentenceKey, string>>>>;

export type Sentences = Readonly<Record<SentenceKey, string>>;

/**
 * Returns the fixed sentences in the first of the languages that has any, or else in English. The org's own sentences
 * come first.
 */
export function sentencesIn(languages: (string | null)[], overrides: SentenceOverrides): Sentences {
  const language = languages.find((code) => code !== null && (code in PHRASES || code in overrides)) ?? 'en';
  const ours = PHRASES[language] ?? PHRASES.en;
  return { ...(ours?.sentences as Sentences), ...overrides[language] };
}
