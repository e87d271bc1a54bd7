import { styleOf } from '../definitions/parameter-styles.rules.ts';
import type { OperationParameter } from '../definitions/schema.ts';

/** A parameter and its value in a call. */
export interface ParameterValue {
  parameter: OperationParameter;
  path: string;
  /** The given value or its override. Undefined if there is neither. */
  value: unknown;
}

/** A part of a serialized value: a pair of a query, a cookie, or a part of a path or header. */
interface SerializedPart {
  /** The name of its variable, not encoded. */
  name: string;
  /** As it is sent. */
  text: string;
}

/** How a style of OpenAPI writes values. */
interface Notation {
  /** Before the first part. */
  prefix: string;
  betweenParts: string;
  /** Between the items of a value that is one part. */
  betweenItems: string;
  isNamed: boolean;
  /** Behind the name of an empty value. */
  empty: string;
}

const FORM: Notation = { prefix: '', betweenParts: '&', betweenItems: ',', isNamed: true, empty: '=' };
const SIMPLE: Notation = { prefix: '', betweenParts: ',', betweenItems: ',', isNamed: false, empty: '' };
/** The table of OpenAPI's styles, which follow RFC 6570. */
const NOTATIONS: Record<ReturnType<typeof styleOf>['style'], Notation> = {
  simple: SIMPLE,
  label: { ...SIMPLE, prefix: '.', betweenParts: '.' },
  matrix: { prefix: ';', betweenParts: ';', betweenItems: ',', isNamed: true, empty: '' },
  form: FORM,
  spaceDelimited: { ...FORM, betweenItems: '%20' },
  pipeDelimited: { ...FORM, betweenItems: '%7C' },
  deepObject: FORM,
  cookie: FORM,
};

const encoded = (text: string): string => encodeURIComponent(text);
const plain = (text: string): string => text;

/** Returns the pair of a query, encoded. */
export const pairOf = (name: string, text: string): SerializedPart => ({
  name,
  text: `${encoded(name)}=${encoded(text.toWellFormed())}`,
});

/** Returns the pairs of a parameter in the query. */
export const pairsOf = (value: ParameterValue): SerializedPart[] => partsOf(value, encoded);

/** Returns a parameter as it is written in the path. */
export function pathTextOf(value: ParameterValue): string {
  const { prefix, betweenParts } = NOTATIONS[styleOf(value.parameter).style];
  const parts = partsOf(value, encoded).map(({ text }) => text);
  return parts.length === 0 ? '' : `${prefix}${parts.join(betweenParts)}`;
}

/** Returns the texts of a value: its items, or the names and values of its members. */
export function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  return isObject(value) ? Object.entries(value).flatMap(([name, inside]) => [name, textOf(inside)]) : [textOf(value)];
}

/** Returns the text of a header. */
export const headerTextOf = (value: ParameterValue): string =>
  partsOf(value, plain)
    .map(({ text }) => text)
    .join(SIMPLE.betweenParts);

/** Returns the headers by lower-case name, including cookies. Exploded values are cookies of their own. */
export function headersOf(values: ParameterValue[]): Record<string, string> {
  const given = values.filter(({ value }) => value !== undefined);
  const headers = given
    .filter((value) => value.parameter.in === 'header' && partsOf(value, plain).length > 0)
    .map((value) => [value.parameter.name.toLowerCase(), headerTextOf(value)]);
  const cookies = given
    .filter(({ parameter }) => parameter.in === 'cookie')
    .flatMap((value) => partsOf(value, encoded).map(({ text }) => text));
  return { ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }), ...Object.fromEntries(headers) };
}

/** Returns the parts of a value. An empty list or object has none. */
function partsOf({ parameter, value }: ParameterValue, encode: (text: string) => string): SerializedPart[] {
  const { name } = parameter;
  const { style, explode } = styleOf(parameter);
  const notation = NOTATIONS[style];
  const named = (key: string, text: string) => ({ name: key, text: textOfPair(encode(key), text, notation.empty) });
  const whole = (texts: string[]) => {
    const text = texts.join(notation.betweenItems);
    return [notation.isNamed ? named(name, text) : { name, text }];
  };
  const textIn = (inside: unknown) => encode(textOf(inside));
  if (isSerializedAsMedia(parameter)) return whole([encode(JSON.stringify(value))]);
  if (!Array.isArray(value) && !isObject(value)) return whole([textIn(value)]);
  const entries = Object.entries(value);
  if (entries.length === 0) return [];
  if (Array.isArray(value)) {
    const items = value.map(textIn);
    return explode || style === 'deepObject' ? items.flatMap((item) => whole([item])) : whole(items);
  }
  if (style === 'deepObject') return entries.map(([key, inside]) => named(`${name}[${key}]`, textIn(inside)));
  return explode
    ? entries.map(([key, inside]) => named(key, textIn(inside)))
    : whole(entries.flatMap(([key, inside]) => [encode(key), textIn(inside)]));
}

const textOfPair = (name: string, text: string, empty: string): string =>
  text === '' ? `${name}${empty}` : `${name}=${text}`;

/** OpenAPI describes such a parameter by `content` in place of `schema`. All media types of parameters are sent as JSON. */
const isSerializedAsMedia = (parameter: OperationParameter): boolean =>
  parameter.schema === undefined && isObject(parameter.content);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
