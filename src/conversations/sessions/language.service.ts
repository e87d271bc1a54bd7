import type { Trx } from '../../db/connect.ts';
import { Language } from '../../http/schemas.ts';
import { setLanguage } from './language.queries.ts';

/** Fewer letters are in too many languages. Scripts of few languages tell sooner. */
const MIN_LATIN_LETTERS = 12;
const MIN_LETTERS = 4;
const MAX_CHARACTERS = 1_000;

/** Takes the language of a session from what its contact writes, where that tells it. */
export async function detectSessionLanguage(trx: Trx, orgId: string, sessionId: string, text: string): Promise<void> {
  const language = await detectLanguage(text);
  if (language !== undefined) await setLanguage(trx, orgId, sessionId, language);
}

/** The language of a text where it is long and plain enough to tell. The same text always gives the same. */
export async function detectLanguage(text: string): Promise<string | undefined> {
  const start = text.slice(0, MAX_CHARACTERS);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  if (letters < (/\p{Script=Latin}/u.test(start) ? MIN_LATIN_LETTERS : MIN_LETTERS)) return undefined;
  const { eld } = await import('eld/extrasmall'); // takes 90 MB: only a process that hears contacts shall have it
  const guess = eld.detect(start);
  return guess.isReliable() && Language.safeParse(guess.language).success ? guess.language : undefined;
}
