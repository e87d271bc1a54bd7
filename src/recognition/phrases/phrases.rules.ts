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

/** What is recognized and said in one language without a model. All but the sentences are lists of patterns. */
export interface LanguagePhrases {
  /** Parts of sentences that ask for a person. */
  person: string;
  /** Names of such persons: a message that has nothing else, but for polite words, asks for one. */
  personAlone: string;
  /** Words that turn `person` around right before it. */
  notBefore: string;
  /** Words that turn `person` around right after it. */
  notAfter: string;
  /** Words around a request, a yes or thanks that add nothing to it. */
  polite: string;
  /** Words of which a message of thanks consists. */
  thanks: string;
  yes: string;
  no: string;
  /** Messages that look like a yes or no of English, and are none in this language. */
  unclear?: string;
  /** Parts of sentences that say that the issue is solved. */
  solved: string;
  /** Words that make this doubtful, anywhere in the message. */
  notSolved: string;
  sentences: Sentences;
}
