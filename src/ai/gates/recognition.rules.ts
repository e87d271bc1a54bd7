import { fold, isSpaceless, phrasesOf, placesOf } from './folding.rules.ts';
import { PHRASES } from './phrases/all.rules.ts';

/** A negation this many words before a phrase turns it around. */
const NEGATION_WORDS = 4;
/** Longer messages say more than thanks, yes or no. */
const MAX_SHORT_CHARACTERS = 80;

type Kind = 'person' | 'not' | 'thanks' | 'solved';

const FOLDED: ReadonlyMap<string, Readonly<Record<Kind, string[]>>> = new Map(
  Object.entries(PHRASES).map(([language, { person, not, thanks, solved }]) => [
    language,
    {
      person: phrasesOf(person),
      not: phrasesOf(not),
      thanks: phrasesOf(thanks),
      solved: phrasesOf(solved),
    },
  ]),
);

/** Returns the phrases of a language and of English, as many people write English words in any language. */
function listsOf(language: string | null) {
  const own = language === null ? undefined : FOLDED.get(language);
  const english = FOLDED.get('en');
  return [own, english === own ? undefined : english].filter((list) => list !== undefined);
}

/** Returns whether a message asks for a person, in its language or in English. */
export function asksForPerson(text: string, language: string | null): boolean {
  const folded = fold(text);
  return listsOf(language).some(({ person, not }) =>
    person.some((phrase) => placesOf(folded, phrase).some((at) => !isNegated(folded, { at, phrase, not }))),
  );
}

/** In scripts without spaces, and in languages whose verbs end a sentence, the negation can follow the phrase. */
function isNegated(folded: string, { at, phrase, not }: { at: number; phrase: string; not: string[] }): boolean {
  if (isSpaceless(phrase)) {
    const around = folded.slice(Math.max(0, at - 6), at + phrase.length + 12);
    return not.some((word) => placesOf(around, word).length > 0);
  }
  const before = ` ${folded.slice(0, at).trim().split(' ').slice(-NEGATION_WORDS).join(' ')} `;
  const after = ` ${folded
    .slice(at + phrase.length)
    .trim()
    .split(' ')
    .slice(0, 2)
    .join(' ')} `;
  return not.some(
    (word) => placesOf(before, word).length > 0 || (FOLLOWING.has(word) && placesOf(after, word).length > 0),
  );
}

/** Negations that stand after what they negate. */
const FOLLOWING = new Set(
  ['istemiyorum', 'gerek yok', 'gerekmiyor', 'değil', 'नहीं', '싶지 않', '필요 없', '원하지 않'].map(fold),
);

/** Returns whether a message says nothing but thanks, or shows nothing but emoji. */
export function isAcknowledgement(text: string, language: string | null): boolean {
  if (text.length > MAX_SHORT_CHARACTERS || /[?？؟;]/.test(text)) return false;
  const folded = fold(text);
  if (folded === '') return /\p{Extended_Pictographic}/u.test(text);
  return listsOf(language).some(({ thanks }) => consistsOf(folded, thanks));
}

/** Returns whether a message says that the issue is solved. */
export function saysSolved(text: string, language: string | null): boolean {
  if (/[?？؟]/.test(text)) return false;
  const folded = fold(text);
  return listsOf(language).some(({ solved, not }) =>
    solved.some((phrase) => placesOf(folded, phrase).some((at) => !isNegated(folded, { at, phrase, not }))),
  );
}

/** Returns whether a folded text is a sequence of phrases and nothing else. */
function consistsOf(folded: string, phrases: string[]): boolean {
  let left = folded;
  for (const phrase of phrases) {
    left = isSpaceless(phrase) ? left.replaceAll(phrase.trim(), ' ') : left.replaceAll(phrase, '  ');
  }
  return left.trim() === '';
}

/**
 * Returns the first of the topics that a text has: its words one after the other, whole, whatever their case and accents.
 */
export function findProhibitedTopic(text: string, topics: string[]): string | undefined {
  const folded = fold(text);
  return topics.find((topic) => placesOf(folded, fold(topic)).length > 0);
}

/** Returns whether two messages ask the same: the same words in any order. */
export function isSameQuestion(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  return a.length > 0 && a.length === b.length && a.every((word, index) => word === b[index]);
}

const wordsOf = (text: string): string[] =>
  [...new Set(fold(text).trim().split(' '))].filter((word) => word !== '').sort();
