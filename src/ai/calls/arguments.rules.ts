import type { ActionParameters } from '../../actions/calls/schema.ts';
import { textOf } from '../../actions/calls/serialization.rules.ts';
import { withLowerCaseNames } from '../../actions/overrides/rules.ts';
import { canonicalJson } from '../../collections/canonical-json.ts';

const MAX_DEPTH = 32;
const TEXT_GROUPS = ['path_params', 'query_params', 'cookies'] as const;

/** Returns why a value cannot be stored or compared, or undefined if it can. */
export function problemOfJson(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH} deep`;
  if (typeof value === 'string') return isStorable(value) ? undefined : 'must be well-formed text without NUL';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inside] of Object.entries(value)) {
    const problem = isStorable(key) ? problemOfJson(inside, depth + 1) : 'must have well-formed names without NUL';
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/**
 * Returns the same text for arguments of the same request: regardless of the order of names, the case of headers, empty
 * groups, and numbers given as text in an address.
 */
export function canonicalArguments({ headers, body_params, ...given }: ActionParameters): string {
  const groups: [string, unknown][] = TEXT_GROUPS.map((group) => [group, textsOf(given[group] ?? {})]);
  groups.push(['headers', textsOf(withLowerCaseNames(headers ?? {}))], ['body_params', body_params]);
  return canonicalJson(Object.fromEntries(groups.filter(([, value]) => !isEmptyGroup(value))));
}

const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, textOf(value)]));

const isEmptyGroup = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
