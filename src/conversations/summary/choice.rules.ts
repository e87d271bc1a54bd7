/** How many sentences a summary has beside the first message's longest. */
const SENTENCES_OF_THE_REST = 3;

/** A sentence by its place: the index of its message, and its index there. */
export interface ChosenSentence {
  message: number;
  sentence: number;
}

/**
 * Chooses the sentences of a summary by their lengths, given per message: the longest of the first message with any,
 * and the three longest of all others. Of equally long ones, the earlier is chosen. They stay in their order.
 */
export function chooseSentences(lengths: readonly (readonly number[])[]): ChosenSentence[] {
  const first = lengths.findIndex((ofMessage) => ofMessage.length > 0);
  const all = lengths.flatMap((ofMessage, message) =>
    ofMessage.map((length, sentence) => ({ message, sentence, length })),
  );
  const longest = all.toSorted((a, b) => b.length - a.length); // a stable sort
  const opening = longest.find(({ message }) => message === first);
  const chosen = new Set([opening, ...longest.filter((one) => one !== opening).slice(0, SENTENCES_OF_THE_REST)]);
  return all.filter((one) => chosen.has(one)).map(({ message, sentence }) => ({ message, sentence }));
}
