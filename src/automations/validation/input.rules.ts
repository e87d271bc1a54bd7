import type { z } from 'zod';
import { memberOf } from '../../collections/records.ts';
import { referencesIn } from '../blocks/references.rules.ts';

type Issue = z.core.$ZodIssue;

/**
 * Returns the problems of a value with its schema. Problems with references are left out: the referenced values are not
 * known before a run.
 */
export const problemsOf = (schema: z.ZodType, value: unknown): string[] => issuesOf(schema, value).map(describeIssue);

/** Returns the problems as problemsOf does, each with its path. */
export function issuesOf(schema: z.ZodType, value: unknown): Issue[] {
  const { success, error } = schema.safeParse(value);
  return success ? [] : error.issues.filter((issue) => !isAboutReference(issue, value, []));
}

/** Returns the problem as text, with its path. */
export function describeIssue(issue: Issue): string {
  const where = issue.path.map((part) => String(part).slice(0, 60)).join('.');
  const what = sentenceOf(issue);
  return where === '' ? what : `${where}: ${what}`;
}

function sentenceOf(issue: Issue): string {
  const isEmpty = issue.code === 'too_small' && issue.minimum === 1 && issue.inclusive !== false;
  if (isEmpty && (issue.origin === 'string' || issue.origin === 'array')) return 'must not be empty';
  return issue.message;
}

/**
 * Returns whether a problem is about a reference, and may be none in a run. For a union, all problems of one option
 * must be about references.
 */
function isAboutReference(issue: Issue, value: unknown, around: PropertyKey[]): boolean {
  if (issue.code === 'unrecognized_keys') return false;
  const path = [...around, ...issue.path];
  if (leadsToReference(value, path)) return true;
  return (
    issue.code === 'invalid_union' &&
    issue.errors.some((way) => way.length > 0 && way.every((inner) => isAboutReference(inner, value, path)))
  );
}

/** Returns whether the path ends at, or passes through, text with a reference. */
function leadsToReference(value: unknown, path: PropertyKey[]): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at === 'string') break;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = memberOf(at, key);
  }
  return typeof at === 'string' && referencesIn(at).length > 0;
}
