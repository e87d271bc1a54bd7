import { createPatch } from 'diff';

const MAX_DIFF_LENGTH = 20_000;
/** Diffs of almost entirely different texts are not worth the time. */
const MAX_EDITS = 600;

/**
 * Returns a line diff of a text, or null if nearly everything changed. One that is too long is cut: a last line, which
 * begins with a backslash as comments of diffs do, says how much was left out.
 */
export function diffOf(before: string, after: string): string | null {
  const patch = createPatch('text', before, after, undefined, undefined, { context: 1, maxEditLength: MAX_EDITS });
  if (patch === undefined) return null;
  const diff = patch.split('\n').slice(4).join('\n');
  if (diff.length <= MAX_DIFF_LENGTH) return diff.toWellFormed();
  const leftOut = (diff.length - MAX_DIFF_LENGTH).toLocaleString('en');
  return `${diff.slice(0, MAX_DIFF_LENGTH).toWellFormed()}\n\\ Left out: ${leftOut} more characters`;
}
