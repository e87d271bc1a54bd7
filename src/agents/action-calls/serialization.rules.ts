import type { OperationParameter } from '../actions/schema.ts';

/** A parameter and its value in a call. */
export interface ParameterValue {
  parameter: OperationParameter;
  path: string;
  /** The given value or its override. Undefined if there is neither. */
  value: unknown;
}

/** Returns the query pairs of a parameter, in OpenAPI's styles `form` and `deepObject`. */
export function pairsOf({ parameter: { name, style, explode = true }, value }: ParameterValue): [string, string][] {
  if (Array.isArray(value))
    return explode ? value.map((item) => [name, textOf(item)]) : [[name, value.map(textOf).join(',')]];
  if (typeof value !== 'object' || value === null) return [[name, textOf(value)]];
  const members = Object.entries(value);
  if (style === 'deepObject') return members.map(([key, inside]) => [`${name}[${key}]`, textOf(inside)]);
  return explode
    ? members.map(([key, inside]) => [key, textOf(inside)])
    : [[name, members.map(([key, inside]) => `${key},${textOf(inside)}`).join(',')]];
}

/** Returns the headers by lower-case name, including cookies. */
export function headersOf(values: ParameterValue[]): Record<string, string> {
  const said = values.filter(({ value }) => value !== undefined);
  const headers = said
    .filter(({ parameter }) => parameter.in === 'header')
    .map(({ parameter, value }) => [parameter.name.toLowerCase(), textOf(value)]);
  const cookies = said
    .filter(({ parameter }) => parameter.in === 'cookie')
    .map(({ parameter, value }) => `${encodeURIComponent(parameter.name)}=${encodeURIComponent(textOf(value))}`);
  return { ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }), ...Object.fromEntries(headers) };
}

/** Encodes a body as a form, with one pair for each item of a list. */
export function formOf(body: object): string {
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item): [string, string] => [name, textOf(item)]),
  );
  return new URLSearchParams(pairs).toString();
}

/** Returns the text of a value in an address, a header or a form. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value.toWellFormed();
  return value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
