const VOCABULARY = 30_000;
/**
 * Word frequency as in a language: the n-th most frequent word is about 1/n as frequent as the first (Zipf,
 * Mandelbrot).
 */
const OFFSET = 2.7;
const GRAMMAR =
  'the of and to in a is that for it as was with be by on not he this are or his from at which but have an had they you were'.split(
    ' ',
  );
const GRAMMAR_SHARE = 0.45;
const SYLLABLES =
  'ba co de fi gu ha jo ki lu me no pa ra si to vu wa ze bran clo dri fle gro ple sto tre vin mar ton'.split(' ');

/** Returns a generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates a writer of texts with the word frequencies of a language. */
export function createWriter(random: () => number) {
  const cumulated: number[] = [];
  let total = 0;
  for (let rank = 1; rank <= VOCABULARY; rank++) {
    total += 1 / (rank + OFFSET);
    cumulated.push(total);
  }

  const contentWord = () => {
    const at = random() * total;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulated[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return wordOf(low);
  };
  const word = () =>
    random() < GRAMMAR_SHARE ? (GRAMMAR[Math.floor(random() * GRAMMAR.length)] as string) : contentWord();
  const words = (count: number, next = word) => Array.from({ length: count }, next).join(' ');
  const sentence = () => `${words(8 + Math.floor(random() * 12))}.`;
  const paragraph = () => Array.from({ length: 4 }, sentence).join(' ');
  return {
    /** An article of about five chunks. */
    article: () =>
      Array.from({ length: 5 }, () => `## ${words(4, contentWord)}\n\n${paragraph()}\n\n${paragraph()}\n`).join('\n'),
    keywords: (count: number) => words(count, contentWord),
    question: (count: number) => words(count),
    title: () => words(3, contentWord),
    nth: (count: number) => Math.floor(random() * count),
  };
}

/** Returns a distinct word for every number. */
function wordOf(number: number): string {
  let rest = number + SYLLABLES.length;
  let word = '';
  while (rest > 0) {
    word += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return word;
}
