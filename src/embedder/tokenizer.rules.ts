import type { Vocabulary } from './packed-model.ts';

/** Marks the beginning of a word in pieces. */
const WORD_START = '▁';
/** How much less likely a character outside the vocabulary is than the least likely piece, as a logarithm. */
const UNKNOWN_PENALTY = 10;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
const CONTROLS = /[\u0001-\u0008\u000b\u000e-\u001f\u007f\u008f\u009f]/g;
const SPACES = /[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]/g;

export interface Tokenizer {
  /** Returns the ids of a text's pieces, without those of its beginning and end. */
  encode(text: string): number[];
}

/**
 * Creates the tokenizer of a vocabulary: a word is cut into the pieces that are most likely together (unigram language
 * model, Kudo 2018, as in SentencePiece). Characters outside the vocabulary in a row are one unknown piece.
 */
export function createTokenizer({ pieces, scores, unknown }: Vocabulary): Tokenizer {
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const longest = pieces.reduce((most, piece) => Math.max(most, piece.length), 1);
  const unknownScore = scores.reduce((least, score) => Math.min(least, score), 0) - UNKNOWN_PENALTY;

  const encodeWord = (word: string): number[] => {
    const characters = [...word];
    const best: { score: number; id: number; from: number }[] = [{ score: 0, id: unknown, from: 0 }];
    for (let from = 0; from < characters.length; from++) {
      const { score: before } = best[from] ?? { score: -Infinity };
      let piece = '';
      for (let to = from + 1; to <= characters.length; to++) {
        piece += characters[to - 1];
        if (piece.length > longest) break;
        const id = ids.get(piece);
        if (id === undefined && to > from + 1) continue;
        const score = before + (id === undefined ? unknownScore : (scores[id] ?? unknownScore));
        if (score > (best[to]?.score ?? -Infinity)) best[to] = { score, id: id ?? unknown, from };
      }
    }
    return pathOf(best);
  };

  return {
    encode: (text) => {
      const found = wordsOf(text).flatMap(encodeWord);
      return found.filter((id, nth) => id !== unknown || found[nth - 1] !== unknown);
    },
  };
}

/** Returns the ids on the best way to the end. */
function pathOf(best: { id: number; from: number }[]): number[] {
  const path: number[] = [];
  for (let to = best.length - 1; to > 0; ) {
    const { id, from } = best[to] ?? { id: 0, from: 0 };
    path.push(id);
    to = from;
  }
  return path.reverse();
}

/** Returns the words of a text, each after the mark of its beginning. */
function wordsOf(text: string): string[] {
  const plain = text.toWellFormed().replace(CONTROLS, '').replace(SPACES, ' ').normalize('NFKC');
  if (plain === '') return [];
  const marked = plain.replace(/ +/g, WORD_START);
  return (marked.startsWith(WORD_START) ? marked : WORD_START + marked).match(/▁[^▁]*/g) ?? [];
}
