import { PATTERNS } from './patterns.ts';
import { proseOf } from './prose.ts';

/** Occurrences of one pattern, as `file:line`. */
export interface Finding {
  name: string;
  advice: string;
  places: string[];
}

/** Finds the places of each pattern in the prose of the files. */
export function findPhrases(files: { path: string; text: string }[]): Finding[] {
  const prose = files.map(({ path, text }) => ({ path, text: proseOf(path, text) }));
  return PATTERNS.map(({ name, pattern, advice }) => ({
    name,
    advice,
    places: prose.flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].map(({ index }) => `${path}:${text.slice(0, index).split('\n').length}`),
    ),
  }));
}

export type Baseline = Record<string, number>;

/** Returns the patterns that occur more often than the baseline allows. A pattern without a number may not occur. */
export const risen = (findings: Finding[], baseline: Baseline): Finding[] =>
  findings.filter(({ name, places }) => places.length > (baseline[name] ?? 0));

/** Returns the baseline with the numbers that fell. No number rises. */
export const lowered = (findings: Finding[], baseline: Baseline): Baseline =>
  Object.fromEntries(findings.map(({ name, places }) => [name, Math.min(places.length, baseline[name] ?? 0)]));
