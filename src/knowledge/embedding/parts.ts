import { InputFailed, InputRefused, messageOf } from '../../errors.ts';

/** Longer text is cut off: it could exceed the model's limit. */
const MAX_TEXT_LENGTH = 4_000;
/** Length of the second attempt for a text that the model refuses, which may be due to its length. */
const MAX_RETRIED_LENGTH = 500;
/** A provider that embeds this fails at the other text, and not at all texts. */
const PROBE = 'Hello';
/** From this attempt on, a text is left out that fails again after each pause. Earlier, all attempts fail at it. */
const FIRST_LATE_ATTEMPT = 5;
/** The attempts before may have failed at other things. */
const PAUSES_MS = [1_000, 5_000];

/**
 * Returns how many texts are embedded together in an attempt of an activity. Each attempt halves them: a provider that is
 * too slow may still be busy with those of the last one.
 */
export const partSizeOf = (texts: number, attempt: number): number =>
  Math.max(1, Math.floor(texts / 2 ** (attempt - 1)));

/** Why a text has no vector, and the number of dimensions that it would have. */
export interface LeftOut {
  reason: string;
  dimensions: number;
}

/** Why texts got no vectors. */
type Problem = InputRefused | InputFailed;

export interface PartHandlers<Item> {
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Throws if the activity is to end. */
  pause(ms: number): Promise<unknown>;
  /** The attempt of the activity, from 1. Texts that the provider fails at, such as with a timeout, are left out in a late one. */
  attempt: number;
  store(items: Item[], vectors: Float32Array[]): Promise<void>;
  leaveOut(item: Item, because: LeftOut): Promise<void>;
}

/**
 * Embeds texts together, or in halves if the provider refuses or fails at them together while it embeds another text. A
 * text refused alone is cut, then left out. One that fails alone is never cut. Each part is stored at once. Returns whether the provider failed at a part.
 * Throws if the provider embeds no text, and at the end if it failed at a text and the attempt is an early one.
 */
export async function embedInParts<Item extends { text: string }>(
  items: Item[],
  { embed, pause, attempt, store, leaveOut }: PartHandlers<Item>,
): Promise<{ hasFailed: boolean }> {
  const failures: InputFailed[] = [];
  let hasFailed = false;

  const problemWith = async (part: Item[], length: number): Promise<Problem | undefined> => {
    const texts = part.map(({ text }) => text.slice(0, length).toWellFormed());
    const answer = await embed(texts).catch((problem: unknown) => {
      if (problem instanceof InputRefused || problem instanceof InputFailed) return problem;
      throw problem;
    });
    if (!Array.isArray(answer)) return answer;
    await store(part, answer);
    return undefined;
  };

  const embedPart = async (part: Item[]): Promise<void> => {
    const problem = await problemWith(part, MAX_TEXT_LENGTH);
    if (problem === undefined) return;
    hasFailed ||= problem instanceof InputFailed;
    const probe = await probeWith(embed);
    const [item] = part;
    if (item === undefined) return;
    if (part.length === 1) return embedAlone(item, problem, probe);
    const half = Math.ceil(part.length / 2);
    await embedPart(part.slice(0, half));
    await embedPart(part.slice(half));
  };

  const problemAfterPauses = async (item: Item, length: number, first?: Problem): Promise<Problem | undefined> => {
    let problem = first ?? (await problemWith([item], length));
    for (const ms of attempt < FIRST_LATE_ATTEMPT ? [] : PAUSES_MS) {
      if (!(problem instanceof InputFailed)) break;
      await pause(ms);
      problem = await problemWith([item], length);
      if (problem instanceof InputFailed) await probeWith(embed);
    }
    return problem;
  };

  const embedAlone = async (item: Item, first: Problem, probe: Float32Array): Promise<void> => {
    let problem = await problemAfterPauses(item, MAX_TEXT_LENGTH, first);
    if (problem instanceof InputRefused && item.text.length > MAX_RETRIED_LENGTH)
      problem = await problemAfterPauses(item, MAX_RETRIED_LENGTH);
    if (problem === undefined) return;
    if (problem instanceof InputFailed && attempt < FIRST_LATE_ATTEMPT) failures.push(problem);
    else await leaveOut(item, { reason: messageOf(problem), dimensions: probe.length });
  };

  const size = partSizeOf(items.length, attempt);
  for (let from = 0; from < items.length; from += size) await embedPart(items.slice(from, from + size));
  const [failure] = failures;
  if (failure !== undefined) throw failure;
  return { hasFailed };
}

/** Returns the vector of a text that each model embeds. Throws if the provider embeds none now. */
async function probeWith(embed: (texts: string[]) => Promise<Float32Array[]>): Promise<Float32Array> {
  const [vector] = await embed([PROBE]);
  return vector ?? new Float32Array();
}
