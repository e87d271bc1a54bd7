import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A conversation without its texts: the lengths of the sentences of each message, and which ones people chose. */
export interface AnnotatedConversation {
  lengths: number[][];
  /** The choice of each person, as the places of sentences. */
  choices: Set<string>[];
}

interface Line {
  tweet_ids_sentence_offset: { tweet_id: number; sentence_offsets: string[] }[];
  annotations: { extractive: { tweet_id: number; sentence_offset: string | null }[] | null }[];
}

export const placeOf = (message: number, sentence: number): string => `${message}.${sentence}`;

/** Reads all parts of TweetSumm in a folder. Annotations that chose nothing are left out. */
export const annotatedConversations = (folder: string): AnnotatedConversation[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => conversationOf(JSON.parse(line) as Line));

function conversationOf({ tweet_ids_sentence_offset: messages, annotations }: Line): AnnotatedConversation {
  const places = new Map(
    messages.flatMap(({ tweet_id, sentence_offsets }, message) =>
      sentence_offsets.map((offset, sentence) => [`${tweet_id} ${offset}`, placeOf(message, sentence)]),
    ),
  );
  const choices = annotations.map(({ extractive }) => {
    const chosen = (extractive ?? []).filter(({ sentence_offset }) => sentence_offset !== null);
    const placeIn = ({ tweet_id, sentence_offset }: (typeof chosen)[number]) =>
      places.get(`${tweet_id} ${sentence_offset}`) ?? `unknown ${tweet_id} ${sentence_offset}`; // nobody can find it
    return new Set(chosen.map(placeIn));
  });
  return {
    lengths: messages.map(({ sentence_offsets }) => sentence_offsets.map(lengthOf)),
    choices: choices.filter(({ size }) => size > 0),
  };
}

/** Returns the length of a sentence by its offsets, such as "[15, 114]". */
function lengthOf(offsets: string): number {
  const [start = 0, end = 0] = JSON.parse(offsets) as number[];
  return end - start;
}

/** Returns the F1 score of one choice against another, from 0 to 1. */
export const choiceF1 = (chosen: ReadonlySet<string>, expected: ReadonlySet<string>): number =>
  (2 * [...chosen].filter((place) => expected.has(place)).length) / (chosen.size + expected.size);
