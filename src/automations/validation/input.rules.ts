import type { z } from 'zod';
import { referencesIn } from '../blocks/references.rules.ts';

type Issue = z.core.$ZodIssue;

/** What is wrong with a value that its schema is to take once references are resolved: what stands in a reference's place is not known yet. */
export function problemsOf(schema: z.ZodType, value: unknown): string[] {
  const { success, error } = schema.safeParse(value);
  if (success) return [];
  return error.issues.filter((issue) => !isAboutReference(issue, value, [])).map(describeIssue);
}

/** A problem in words, with where it is. */
export function describeIssue({ path, message }: Issue): string {
  const where = path.map((part) => String(part).slice(0, 60)).join('.');
  const what = message.endsWith('received undefined') ? 'is missing' : message;
  return where === '' ? what : `${where}: ${what}`;
}

/** Whether a problem may be none, as it is about a reference. A union's is, where that goes for all problems of one of its ways. */
function isAboutReference(issue: Issue, value: unknown, around: PropertyKey[]): boolean {
  if (issue.code === 'unrecognized_keys') return false;
  const path = [...around, ...issue.path];
  if (leadsToReference(value, path)) return true;
  return (
    issue.code === 'invalid_union' &&
    issue.errors.some((way) => way.length > 0 && way.every((inner) => isAboutReference(inner, value, path)))
  );
}

/** Whether a path leads to text with a reference in it, or through one. */
function leadsToReference(value: unknown, path: PropertyKey[]): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at === 'string') break;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return typeof at === 'string' && referencesIn(at).length > 0;
}
