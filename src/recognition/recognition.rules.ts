import { BREAK, fold, isUnspaced, tokensOf, wordsOf } from './folding.rules.ts';
import { consistOf, hasAny, type Pattern, type Place, patternsOf, placesOf, vocabularyOf } from './patterns.rules.ts';
import { PHRASES } from './phrases/all.rules.ts';
import type { LanguagePhrases } from './phrases/phrases.rules.ts';
import { baseLanguage } from './sentences.rules.ts';

/** A negation is looked for in this many tokens beside what it negates, */
const NEGATION_TOKENS = 12;
/** and stands next to it: at most this many words lie between them, or letters in scripts without spaces. */
const WORDS_BETWEEN = 1;
const LETTERS_BETWEEN = 6;
/** Longer messages say more than thanks, yes or no. Scripts without spaces have one token a letter. */
const MAX_SHORT_WORDS = 30;
const MAX_SOLVED_WORDS = 80;
const MAX_TOPICS = 1_000;
/** Words up to this length, such as articles, do not make another question of one. */
const SMALL_WORD = 3;
/** At least this share of the words of two questions is in both. */
const SAME_SHARE = 3 / 4;

const QUESTION = /[?؟]/;
/** Greek asks with a semicolon. */
const GREEK_QUESTION = /[?;]/;
/** Emoji that agree, thank or greet. */
const AGREEING =
  /^(?:[\s!.]|\p{Emoji_Modifier}|[\u200d\ufe0f]|[👍👌🙏🤝👏🙌💪✅✔☑❤🧡💛💚💙💜💗💕💖😀😃😄😁😊🙂😉😍🥰😘🤗🎉🥳💯✨🌟⭐🫶🤩😎☺👋])+$/u;

type PatternKey = Exclude<keyof LanguagePhrases, 'sentences'>;
type LanguagePatterns = Readonly<Record<PatternKey, readonly Pattern[]>>;

const PATTERNS: ReadonlyMap<string, LanguagePatterns> = new Map(
  [...PHRASES].map(([language, phrases]) => [language, compiled(phrases)]),
);

/** Whether a word may be part of a wish for a person, or of thanks, by language. */
const VOCABULARIES = new Map(
  [...PATTERNS].map(([language, { person, personAlone, thanks, polite }]) => [
    language,
    { person: vocabularyOf([...person, ...personAlone]), thanks: vocabularyOf([...thanks, ...polite]) },
  ]),
);

function compiled(phrases: LanguagePhrases): LanguagePatterns {
  const {
    person,
    personAlone,
    notBefore,
    notAfter,
    polite,
    thanks,
    yes,
    no,
    unclear = [],
    solved,
    notSolved,
  } = phrases;
  return {
    person: patternsOf(person),
    personAlone: patternsOf(personAlone),
    notBefore: patternsOf(notBefore),
    notAfter: patternsOf(notAfter),
    polite: patternsOf(polite),
    thanks: patternsOf(thanks),
    yes: patternsOf(yes),
    no: patternsOf(no),
    unclear: patternsOf(unclear),
    solved: patternsOf(solved),
    notSolved: patternsOf(notSolved),
  };
}

/** Returns the patterns of a language, then those of English: many people use its words in their own language. */
function patternsIn(language: string | null): LanguagePatterns[] {
  const codes = new Set([baseLanguage(language ?? ''), 'en']);
  return [...codes].map((code) => PATTERNS.get(code)).filter((patterns) => patterns !== undefined);
}

/**
 * Returns whether a message asks for a person, in its language or in English: by a part of a sentence that no negation
 * turns around, or by the name of such a person alone. A short message may ask in one of the other languages as well.
 * Reads at most 4,000 characters.
 */
export function asksForPerson(text: string, language: string | null, others: readonly string[] = []): boolean {
  const tokens = tokensOf(text);
  const words = tokens.filter((token) => token !== BREAK);
  if (asksForPersonIn(tokens, words, language)) return true;
  const isShort = words.length <= MAX_SHORT_WORDS;
  return (
    isShort && others.some((other) => words.some(vocabularyIn(other).person) && asksForPersonIn(tokens, words, other))
  );
}

const NO_WORDS = { person: () => false, thanks: () => false };

const vocabularyIn = (language: string) => VOCABULARIES.get(baseLanguage(language)) ?? NO_WORDS;

function asksForPersonIn(tokens: readonly string[], words: readonly string[], language: string | null): boolean {
  const inLanguages = patternsIn(language);
  const negations = {
    before: inLanguages.flatMap(({ notBefore }) => notBefore),
    after: inLanguages.flatMap(({ notAfter }) => notAfter),
  };
  return inLanguages.some(
    ({ person, personAlone, polite }) =>
      person.some((pattern) => placesOf(tokens, pattern).some((place) => !isNegated(tokens, place, negations))) ||
      (words.length <= MAX_SHORT_WORDS && consistOf(words, personAlone, polite)),
  );
}

/** Returns whether a negation stands right before or after a place, in the same clause. */
function isNegated(
  tokens: readonly string[],
  { start, end }: Place,
  { before, after }: { before: Pattern[]; after: Pattern[] },
): boolean {
  const ahead = tokens.slice(Math.max(0, start - NEGATION_TOKENS), start);
  const behind = tokens.slice(end, end + NEGATION_TOKENS);
  const between = isUnspaced(tokens[start] ?? '') ? LETTERS_BETWEEN : WORDS_BETWEEN;
  const clauseEnd = behind.indexOf(BREAK);
  const next = clauseEnd === -1 ? behind : behind.slice(0, clauseEnd);
  const previous = ahead.slice(ahead.lastIndexOf(BREAK) + 1);
  return (
    before.some((pattern) => placesOf(previous, pattern).some((place) => place.end >= previous.length - between)) ||
    after.some((pattern) => placesOf(next, pattern).some((place) => place.start <= between))
  );
}

/**
 * Returns whether a message says nothing but thanks or "ok", or shows nothing but a friendly emoji. It may thank in one of
 * the other languages as well, unless it is a yes or a no in one of them.
 */
export function isAcknowledgement(text: string, language: string | null, others: readonly string[] = []): boolean {
  if (asks(text, language)) return false;
  const words = wordsOf(text);
  if (words.length === 0) return text.length <= MAX_SHORT_WORDS && AGREEING.test(text.trim());
  if (words.length > MAX_SHORT_WORDS) return false;
  const thanksIn = (one: string | null) => consistInLanguages(words, one, ({ thanks }) => thanks);
  if (thanksIn(language)) return true;
  const mayThankIn = (other: string) => words.every(vocabularyIn(other).thanks);
  return (
    others.some((other) => mayThankIn(other) && thanksIn(other)) &&
    others.every((other) => !asks(text, other) && readDecision(text, other) === undefined)
  );
}

/**
 * Returns whether a message is exactly a yes or exactly a no. Punctuation, emoji, and polite words beside it do not
 * matter. Undefined for all else, and for a yes that asks.
 */
export function readDecision(text: string, language: string | null): 'yes' | 'no' | undefined {
  const words = wordsOf(text);
  if (words.length === 0 || words.length > MAX_SHORT_WORDS || asks(text, language)) return undefined;
  for (const { yes, no, unclear, polite } of patternsIn(language)) {
    if (consistOf(words, unclear, polite)) return undefined;
    const [isYes, isNo] = [consistOf(words, yes, polite), consistOf(words, no, polite)];
    if (isYes !== isNo) return isYes ? 'yes' : 'no';
    if (isYes) return undefined;
  }
  return undefined;
}

/** Returns whether a message says that the issue is solved, without a question and without a "but". */
export function resolvesIssue(text: string, language: string | null): boolean {
  const tokens = tokensOf(text);
  if (tokens.length > MAX_SOLVED_WORDS || asks(text, language)) return false;
  const inLanguages = patternsIn(language);
  return (
    inLanguages.some(({ solved }) => hasAny(tokens, solved)) &&
    !inLanguages.some(({ notSolved }) => hasAny(tokens, notSolved))
  );
}

/**
 * Returns the first of the topics that a text has: its words one after the other, whole, whatever their case and accents.
 * In scripts without spaces, any part of the text. Reads at most 4,000 characters and 1,000 topics.
 */
export function findProhibitedTopic(text: string, topics: readonly string[]): string | undefined {
  const words = joined(text);
  return topics.slice(0, MAX_TOPICS).find((topic) => {
    const wanted = joined(topic);
    return wanted.trim() !== '' && words.includes(wanted);
  });
}

/** Returns the topic that a model has named, as the org has it. Undefined if it is none of the org's. */
export function namedTopic(named: string | null | undefined, topics: readonly string[]): string | undefined {
  if (topics.length <= 1) return topics[0];
  return topics.find((topic) => joined(topic) === joined(named ?? ''));
}

const joined = (text: string): string => ` ${wordsOf(text).join(' ')} `;

/** Returns whether a message has no character that can be seen. */
export const isEmptyMessage = (text: string): boolean =>
  !/[^\s\p{Cc}\p{Cf}\p{Z}\p{Variation_Selector}\u2800\u3164\u115f\u1160\uffa0]/u.test(text);

/**
 * Returns whether two messages ask the same: the same words in any order, case and number, where one of them may have a
 * few small words more. A message without words asks nothing.
 */
export function isSameQuestion(one: string, other: string): boolean {
  const [first, second] = [new Set(wordsOf(one)), new Set(wordsOf(other))];
  const [fewer, more] = first.size <= second.size ? [first, second] : [second, first];
  if (fewer.size / more.size < SAME_SHARE || fewer.size === 0) return false;
  const isSmall = (word: string) => word.length <= SMALL_WORD && !isUnspaced(word) && !/\p{N}/u.test(word);
  return [...fewer].every((word) => more.has(word)) && [...more].every((word) => fewer.has(word) || isSmall(word));
}

/** Returns whether a message has a question mark of its language. */
const asks = (text: string, language: string | null): boolean =>
  (baseLanguage(language ?? '') === 'el' ? GREEK_QUESTION : QUESTION).test(fold(text));

/** A short message can have words of both its language and English. */
function consistInLanguages(
  words: readonly string[],
  language: string | null,
  pick: (patterns: LanguagePatterns) => readonly Pattern[],
): boolean {
  const inLanguages = patternsIn(language);
  return consistOf(
    words,
    inLanguages.flatMap(pick),
    inLanguages.flatMap(({ polite }) => polite),
  );
}
