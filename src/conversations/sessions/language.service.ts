import type { Trx } from '../../db/connect.ts';
import { Language } from '../../http/schemas.ts';
import { setLanguage } from './language.queries.ts';

/**
 * The minimum number of letters to detect a language. Shorter texts fit too many languages; scripts of few languages
 * need fewer.
 */
const MIN_LATIN_LETTERS = 12;
const MIN_LETTERS = 4;
const MAX_CHARACTERS = 1_000;

/** Sets the language of a session from its contact's message, if it can be detected. */
export async function detectSessionLanguage(trx: Trx, orgId: string, sessionId: string, text: string): Promise<void> {
  const language = await detectLanguage(text);
  if (language !== undefined) await setLanguage(trx, orgId, sessionId, language);
}

/** Returns the language of a text, if it is long and clear enough. The same text always has the same result. */
export async function detectLanguage(text: string): Promise<string | undefined> {
  const start = text.slice(0, MAX_CHARACTERS);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters < (/\p{Script=Latin}/u.test(start) ? MIN_LATIN_LETTERS : MIN_LETTERS)) return undefined;
  const { eld } = await import('eld/extrasmall'); // takes 90 MB: loaded only by processes receiving messages of contacts
  const guess = eld.detect(start);
  return guess.isReliable() && Language.safeParse(guess.language).success ? guess.language : undefined;
}
