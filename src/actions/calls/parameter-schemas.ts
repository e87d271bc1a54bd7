import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import { type Issue, messageOf } from '../../errors.ts';
import type { JsonSchema } from '../definitions/schema.ts';

/**
 * The maximum number of comparisons in one check: each value with the schema and, for `uniqueItems`, with each other
 * value.
 */
const MAX_STEPS = 500_000;
const MAX_ISSUES = 20;
const MAX_MESSAGE_LENGTH = 300;
/** The checked formats: the time of their checks depends on the length of the text alone. */
const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'date', 'time', 'uuid', 'email', 'ipv4', 'hostname']);
/**
 * Ignored keywords: they would refer to other schemas, change the meaning of keywords, or run a regular expression of
 * the org's for an unbounded time.
 */
const IGNORED_KEYWORDS = new Set([
  '$id',
  'id',
  '$schema',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  '$anchor',
  '$dynamicAnchor',
  '$recursiveAnchor',
  'pattern',
  'patternProperties',
]);
/**
 * Keywords for properties not named by any other keyword. They are ignored beside `patternProperties`: patterns are not
 * evaluated, so the properties named by them are unknown.
 */
const ADDITIONAL_PROPERTY_KEYWORDS = new Set(['additionalProperties', 'unevaluatedProperties']);
/** Keywords with schemas as members, under names chosen by the org. */
const SCHEMA_MAP_KEYWORDS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const DATA_KEYWORDS = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'dependentRequired']);
/** Keywords without errors of their own: they only report an error inside. */
const WRAPPER_KEYWORDS = new Set([
  'properties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
  'then',
  'else',
  'dependentSchemas',
]);

/**
 * Returns the violations of a schema by a value, per JSON Schema 2020-12 and OpenAPI 3.0 (`nullable`,
 * `exclusiveMinimum: true`). Schemas are interpreted, never compiled to code.
 */
export function issuesOf(schema: JsonSchema, value: unknown, path: string): Issue[] {
  const { copy, size: schemaSize, comparesValues } = normalizeSchema(schema);
  const { copy: instance, size } = plainCopyOf(value);
  if (size * (schemaSize + (comparesValues ? size : 0)) > MAX_STEPS)
    return [{ path, message: 'is too large to be checked against its schema: send less' }];
  try {
    const { valid, errors } = new Validator(copy as Schema, '2020-12', false).validate(instance);
    return valid ? [] : toIssues(errors, path);
  } catch (error) {
    return [{ path, message: `cannot be checked, as its schema is malformed: ${messageOf(error).slice(0, 200)}` }];
  }
}

function toIssues(errors: OutputUnit[], path: string): Issue[] {
  const telling = errors.filter(({ keyword }) => !WRAPPER_KEYWORDS.has(keyword));
  return (telling.length > 0 ? telling : errors).slice(0, MAX_ISSUES).map(({ instanceLocation, error }) => ({
    path: [path, ...instanceLocation.split('/').slice(1).map(unescaped)].join('.'),
    message: error.slice(0, MAX_MESSAGE_LENGTH),
  }));
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~');

interface SizedCopy {
  copy: unknown;
  /** The number of values in the copy. */
  size: number;
}

/** Copies a value without inherited members, because the validator would read them as the value's own. */
function plainCopyOf(value: unknown): SizedCopy {
  let size = 0;
  const copyOf = (part: unknown): unknown => {
    size++;
    if (Array.isArray(part)) return part.map(copyOf);
    if (typeof part !== 'object' || part === null) return part;
    return withoutPrototype(Object.entries(part).map(([key, inside]) => [key, copyOf(inside)]));
  };
  return { copy: copyOf(value), size };
}

function normalizeSchema(schema: JsonSchema): SizedCopy & { comparesValues: boolean } {
  let size = 0;
  let comparesValues = false;
  const schemaOf = (part: unknown): unknown => {
    size++;
    if (Array.isArray(part)) return part.map(schemaOf);
    if (typeof part !== 'object' || part === null) return part;
    const members = Object.entries(part).filter(
      ([key]) => !('patternProperties' in part && ADDITIONAL_PROPERTY_KEYWORDS.has(key)),
    );
    return fromOpenApi30(withoutPrototype(members.flatMap(([key, inside]) => memberOf(key, inside))));
  };
  const memberOf = (key: string, inside: unknown): [string, unknown][] => {
    if (IGNORED_KEYWORDS.has(key) || (key === 'format' && !FORMATS.has(inside))) return [];
    if (key === 'uniqueItems' && inside === true) comparesValues = true;
    if (SCHEMA_MAP_KEYWORDS.has(key) && typeof inside === 'object' && inside !== null)
      return [[key, withoutPrototype(Object.entries(inside).map(([name, one]) => [name, schemaOf(one)]))]];
    if (!DATA_KEYWORDS.has(key)) return [[key, schemaOf(inside)]];
    const data = plainCopyOf(inside);
    size += data.size;
    return [[key, data.copy]];
  };
  return { copy: schemaOf(schema), size, comparesValues };
}

/** Rewrites the keywords of OpenAPI 3.0 as JSON Schema. */
function fromOpenApi30(schema: Record<string, unknown>): Record<string, unknown> {
  const { nullable, type, enum: values, ...rest } = schema;
  const isNullable = nullable === true && type !== undefined;
  const keywords = Object.entries(rest).flatMap(([key, value]) => exclusiveLimitOf(schema, key, value));
  if (type !== undefined) keywords.push(['type', isNullable ? [type, 'null'].flat() : type]);
  if (values !== undefined) keywords.push(['enum', isNullable ? [values, null].flat() : values]);
  return withoutPrototype(keywords);
}

function exclusiveLimitOf(schema: Record<string, unknown>, key: string, value: unknown): [string, unknown][] {
  if (key === 'minimum' && schema.exclusiveMinimum === true) return [['exclusiveMinimum', value]];
  if (key === 'maximum' && schema.exclusiveMaximum === true) return [['exclusiveMaximum', value]];
  const isFlag = (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') && typeof value === 'boolean';
  return isFlag ? [] : [[key, value]];
}

const withoutPrototype = (entries: [string, unknown][]): Record<string, unknown> =>
  Object.assign(Object.create(null), Object.fromEntries(entries));
