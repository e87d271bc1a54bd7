/** The fixed sentences of the AI. `confirm_question` has the placeholder `{action}`. */
export const SENTENCE_KEYS = [
  'handing_off',
  'found',
  'may_help',
  'not_found',
  'ask_details',
  'prohibited_topic',
  'unreadable',
  'failed',
  'action_done',
  'action_failed',
  'action_unknown',
  'action_in_progress',
  'confirm_question',
  'confirm_yes_hint',
  'confirmed',
  'rejected_confirmation',
  'confirm_button',
  'reject_button',
  'confirmation_expired',
  'identity_required',
  'budget',
] as const;
export type SentenceKey = (typeof SENTENCE_KEYS)[number];
export type Sentences = Readonly<Record<SentenceKey, string>>;

/**
 * What is recognized and said in one language without a model. All but the sentences are lists of patterns. A language is a file of its
 * own, such as `en.json`, which its speakers can review.
 */
export interface LanguagePhrases {
  /** Parts of sentences that ask for a person. */
  person: readonly string[];
  /** Names of such persons: a message that has nothing else, but for polite words, asks for one. */
  personAlone: readonly string[];
  /** Words that turn `person` around right before it. */
  notBefore: readonly string[];
  /** Words that turn `person` around right after it. */
  notAfter: readonly string[];
  /** Words around a request, a yes or thanks that add nothing to it. */
  polite: readonly string[];
  /** Words of which a message of thanks consists. */
  thanks: readonly string[];
  yes: readonly string[];
  no: readonly string[];
  /** Messages that look like a yes or no of English, and are none in this language. */
  unclear?: readonly string[];
  /** Parts of sentences that say that the issue is solved. */
  solved: readonly string[];
  /** Words that make this doubtful, anywhere in the message. */
  notSolved: readonly string[];
  sentences: Sentences;
}
