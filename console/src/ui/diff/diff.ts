/** A line of a comparison: in both, or in one only. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Comparing more lines than this takes too long for a page: the differing parts are shown whole. */
const MAX_CELLS = 4_000_000;

/** Compares two texts line by line, by their longest common subsequence. */
export function diffOf(before: string[], after: string[]): DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  const rest = Math.min(before.length, after.length) - head;
  while (tail < rest && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const inner = compare(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [...same(before.slice(0, head)), ...inner, ...same(tail === 0 ? [] : before.slice(-tail))];
}

function compare(before: string[], after: string[]): DiffLine[] {
  const removed = (text = ''): DiffLine => ({ kind: 'removed', text });
  const added = (text = ''): DiffLine => ({ kind: 'added', text });
  const width = after.length + 1;
  if (before.length * after.length > MAX_CELLS || before.length === 0 || after.length === 0)
    return [...before.map(removed), ...after.map(added)];
  const longest = new Uint32Array((before.length + 1) * width);
  const at = (a: number, b: number): number => longest[a * width + b] ?? 0;
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--)
      longest[a * width + b] = before[a] === after[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < before.length && b < after.length) {
    if (before[a] === after[b]) {
      lines.push({ kind: 'same', text: before[a] ?? '' });
      a += 1;
      b += 1;
    } else if (at(a + 1, b) >= at(a, b + 1)) lines.push(removed(before[a++]));
    else lines.push(added(after[b++]));
  }
  return [...lines, ...before.slice(a).map(removed), ...after.slice(b).map(added)];
}

const CONTEXT = 3;

/** Returns the changed lines with some around them. A gap between them is undefined. */
export function withoutSame(lines: DiffLine[]): (DiffLine | undefined)[] {
  const isNear = (n: number) =>
    lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(({ kind }) => kind !== 'same');
  const shown: (DiffLine | undefined)[] = [];
  for (const [n, line] of lines.entries()) {
    if (isNear(n)) shown.push(line);
    else if (shown.at(-1) !== undefined || n === 0) shown.push(undefined);
  }
  return shown;
}
