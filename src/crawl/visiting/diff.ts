import { createPatch } from 'diff';

const MAX_DIFF_LENGTH = 20_000;
/** Diffs of almost entirely different texts are not worth the time. */
const MAX_EDITS = 600;

/** Returns a line diff of a text, or null if nearly everything changed. */
export function diffOf(before: string, after: string): string | null {
  const patch = createPatch('text', before, after, undefined, undefined, { context: 1, maxEditLength: MAX_EDITS });
  if (patch === undefined) return null;
  return patch.split('\n').slice(4).join('\n').slice(0, MAX_DIFF_LENGTH).toWellFormed();
}
