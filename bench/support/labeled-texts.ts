import { readFileSync } from 'node:fs';

/** A text with the one thing that it is about. */
export interface LabeledText {
  text: string;
  label: string;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g;

/** Reads a CSV file of texts and labels, with one line of headings. */
export function readLabeledTexts(path: string): LabeledText[] {
  const rows: string[][] = [[]];
  for (const [whole, quoted, plain, end] of readFileSync(path, 'utf8').matchAll(FIELD)) {
    if (whole === '') break;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end !== ',') rows.push([]);
  }
  return rows.slice(1).flatMap(([text, label]) => (text === undefined || label === undefined ? [] : [{ text, label }]));
}

/**
 * Returns Matthews' correlation coefficient for several classes (Gorodkin, 2004): 1 for no error, 0 for guesses by chance.
 */
export function correlationOf(pairs: { label: string; guess: string }[]): number {
  const counts = new Map<string, { labels: number; guesses: number }>();
  const countOf = (name: string) => {
    const count = counts.get(name) ?? { labels: 0, guesses: 0 };
    counts.set(name, count);
    return count;
  };
  for (const { label, guess } of pairs) {
    countOf(label).labels++;
    countOf(guess).guesses++;
  }
  const sum = (of: (count: { labels: number; guesses: number }) => number) =>
    [...counts.values()].reduce((total, count) => total + of(count), 0);
  const right = pairs.filter(({ label, guess }) => label === guess).length;
  const covariance = right * pairs.length - sum(({ labels, guesses }) => labels * guesses);
  const spreadOf = (squares: number) => pairs.length ** 2 - squares;
  return (
    covariance / Math.sqrt(spreadOf(sum(({ labels }) => labels ** 2)) * spreadOf(sum(({ guesses }) => guesses ** 2)))
  );
}
