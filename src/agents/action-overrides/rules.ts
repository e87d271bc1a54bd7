/** Values that take the place of those that an action is called with. */
export interface Overrides {
  query_params: Record<string, string>;
  path_params: Record<string, string>;
  /** A page's own may be any JSON. */
  body_params: Record<string, unknown>;
  /** By lower-case name. */
  headers: Record<string, string>;
}

export type PartialOverrides = { [Group in keyof Overrides]?: Overrides[Group] | undefined };

const NO_OVERRIDES: Overrides = { query_params: {}, path_params: {}, body_params: {}, headers: {} };

/** All of them, field by field: a later one goes before an earlier one. */
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

/** By lower-case name, so that no header goes out twice. */
export const withLowerCaseNames = <T>(headers: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
