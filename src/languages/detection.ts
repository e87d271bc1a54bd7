import { Language } from '../schemas/parts.ts';

/**
 * The minimum number of letters to detect a language. Shorter texts fit too many languages; scripts of few languages
 * need fewer.
 */
const MIN_LATIN_LETTERS = 12;
const MIN_LETTERS = 4;
const MAX_CHARACTERS = 1_000;

/** Returns whether a text has enough letters to detect its language. */
export function mayShowLanguage(text: string): boolean {
  const start = text.slice(0, MAX_CHARACTERS);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  return letters >= (/\p{Script=Latin}/u.test(start) ? MIN_LATIN_LETTERS : MIN_LETTERS);
}

/** Returns the language of a text, if it is long and clear enough. The same text always has the same result. */
export async function detectLanguage(text: string): Promise<string | undefined> {
  if (!mayShowLanguage(text)) return undefined;
  const start = text.slice(0, MAX_CHARACTERS);
  const { eld } = await import('eld/extrasmall'); // takes 90 MB: loaded only by processes receiving messages of contacts
  const guess = eld.detect(start);
  return guess.isReliable() && Language.safeParse(guess.language).success ? guess.language : undefined;
}
