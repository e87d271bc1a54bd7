const MAX_CHARACTERS = 4_000;

/** Scripts without spaces between words. */
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Returns a text's words in lower case, without accents and punctuation, each with a space around it. Only the first
 * 4,000 characters count.
 */
export function fold(text: string): string {
  const folded = text
    .slice(0, MAX_CHARACTERS)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
  return folded === '' ? '' : ` ${folded} `;
}

/** Returns the places of a folded phrase in a folded text: whole words, or any part in scripts without spaces. */
export function placesOf(folded: string, phrase: string): number[] {
  const wanted = SPACELESS.test(phrase) ? phrase.trim() : phrase;
  const places: number[] = [];
  if (wanted === '') return places;
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + wanted.length - 1 || at + 1)) {
    places.push(at);
    if (places.length >= 50) break;
  }
  return places;
}

/** Returns the folded phrases of a list that are separated by `|` or line ends, longest first. */
export const phrasesOf = (list: string): string[] =>
  list
    .split(/[|\n]/)
    .map(fold)
    .filter((phrase) => phrase !== '')
    .sort((one, other) => other.length - one.length);

/** Returns whether a phrase is written in a script without spaces between words. */
export const isSpaceless = (text: string): boolean => SPACELESS.test(text);
