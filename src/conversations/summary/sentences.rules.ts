/** Greek alone ends questions with a semicolon. */
const GREEK = /\p{sc=Greek}/u;
/** The end of a line within a sentence, as mail programs break lines. */
const BROKEN_LINE = /(?<=[\p{L}\p{N},])\n(?=\p{Ll})/gu;

/** Splits a text of any script into its sentences. Parts without a letter or digit are none. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter(GREEK.test(text) ? 'el' : 'en', { granularity: 'sentence' });
  return [...segmenter.segment(text.replace(BROKEN_LINE, ' '))]
    .map(({ segment }) => segment.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
