import { hasOriginOf } from '../../text/urls.rules.ts';

/** Values for the parameters of an action, beside the given ones. */
export interface Overrides {
  query_params: Record<string, string>;
  path_params: Record<string, string>;
  /** The values set by a page may be any JSON. */
  body_params: Record<string, unknown>;
  /** By lower-case name. */
  headers: Record<string, string>;
}

export type PartialOverrides = { [Group in keyof Overrides]?: Overrides[Group] | undefined };

/** Overrides for the named hosts alone. Without names, all hosts get them. */
export type BoundOverrides = PartialOverrides & { hosts?: string[] | undefined };

/** Returns the overrides if the host of an endpoint may get them. Without an endpoint, nothing is sent, and all count. */
export const forHostOf = (endpoint: string | undefined, overrides: BoundOverrides | undefined): PartialOverrides => {
  if (endpoint === undefined || overrides?.hosts === undefined) return overrides ?? {};
  return hasOriginOf(endpoint, overrides.hosts) ? overrides : {};
};

export const NO_OVERRIDES: Overrides = { query_params: {}, path_params: {}, body_params: {}, headers: {} };

/** Shorter values are in any text. */
const MIN_SECRET = 6;

/** Returns the values in overrides that nobody is shown. */
export const secretsOf = (overrides: object): string[] =>
  valuesIn(overrides).filter((value) => value.length >= MIN_SECRET);

function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesIn) : [];
}

/** Merges overrides field by field. Later ones take precedence. */
export function mergeOverrides(all: (PartialOverrides | null | undefined)[]): Overrides {
  return all.reduce<Overrides>(
    (sum, one) => ({
      query_params: { ...sum.query_params, ...one?.query_params },
      path_params: { ...sum.path_params, ...one?.path_params },
      body_params: { ...sum.body_params, ...one?.body_params },
      headers: { ...sum.headers, ...withLowerCaseNames(one?.headers ?? {}) },
    }),
    NO_OVERRIDES,
  );
}

/** Lowercases the header names, so no header is sent twice. */
export const withLowerCaseNames = <T>(headers: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
