/** The fixed sentences of the AI. */
export const SENTENCE_KEYS = [
  'handing_off',
  'found',
  'may_help',
  'not_found',
  'ask_details',
  'unreadable',
  'prohibited_topic',
  'failed',
] as const;
export type SentenceKey = (typeof SENTENCE_KEYS)[number];

/**
 * What the AI recognizes and says in one language without a model. Phrases are separated by `|` or line ends. Case,
 * accents and punctuation do not matter: phrases and texts are folded alike before they are compared.
 */
export interface LanguagePhrases {
  /** Parts of sentences that ask for a person. */
  person: string;
  /** Words that turn such a part around if one of them stands shortly before it. */
  not: string;
  /** Words and phrases of which a message of thanks consists. */
  thanks: string;
  /** Parts of sentences that say that the issue is solved. */
  solved: string;
  sentences: Readonly<Record<SentenceKey, string>>;
}
