import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import type { Issue } from '../../errors.ts';
import type { JsonSchema } from '../actions/schema.ts';

/** A schema is met with each value that it is about, and values that must differ with each other: this often at most. */
const MAX_STEPS = 500_000;
const MAX_ISSUES = 20;
const MAX_MESSAGE_LENGTH = 300;
/** They run in time that grows with the text alone. */
const FORMATS = new Set(['date-time', 'date', 'time', 'uuid', 'email', 'ipv4', 'hostname']);
/** What would look elsewhere, change what keywords mean, or run a pattern of the org's own for as long as it likes. */
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
/** What is said of properties that no other keyword names: where patterns name some, nobody knows of which. */
const ADDITIONAL_PROPERTY_KEYWORDS = new Set(['additionalProperties', 'unevaluatedProperties']);
/** Whose members are schemas by names of the org's own. */
const SCHEMA_MAP_KEYWORDS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const DATA_KEYWORDS = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'dependentRequired']);
/** They only say that something inside is wrong. */
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

/** Why a value is not as the schema has it, by JSON Schema 2020-12 and OpenAPI 3.0 (`nullable`, `exclusiveMinimum: true`). Schemas are only read, never run. */
export function issuesOf(schema: JsonSchema, value: unknown, path: string): Issue[] {
  const { copy, size: schemaSize, comparesValues } = normalizeSchema(schema);
  const { copy: instance, size } = plainCopyOf(value);
  if (size * (schemaSize + (comparesValues ? size : 0)) > MAX_STEPS)
    return [{ path, message: 'is too large to be checked against its schema: send less' }];
  try {
    const { valid, errors } = new Validator(copy as Schema, '2020-12', false).validate(instance);
    return valid ? [] : toIssues(errors, path);
  } catch (error) {
    return [
      { path, message: `cannot be checked, as its schema is malformed: ${(error as Error).message.slice(0, 200)}` },
    ];
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
  /** How many values there are in it. */
  size: number;
}

/** A copy without inherited members, which would pass for the value's own. */
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
    if (IGNORED_KEYWORDS.has(key) || (key === 'format' && !FORMATS.has(inside as string))) return [];
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

/** What OpenAPI 3.0 says in its own way, as JSON Schema says it. */
function fromOpenApi30(schema: Record<string, unknown>): Record<string, unknown> {
  const { nullable, type, enum: values, ...rest } = schema;
  const isNullable = nullable === true && type !== undefined;
  return withoutPrototype([
    ...Object.entries(rest).flatMap(([key, value]) => exclusiveLimitOf(schema, key, value)),
    ...(type === undefined ? [] : [['type', isNullable ? [type, 'null'].flat() : type] as [string, unknown]]),
    ...(values === undefined ? [] : [['enum', isNullable ? [values, null].flat() : values] as [string, unknown]]),
  ]);
}

function exclusiveLimitOf(schema: Record<string, unknown>, key: string, value: unknown): [string, unknown][] {
  if (key === 'minimum' && schema.exclusiveMinimum === true) return [['exclusiveMinimum', value]];
  if (key === 'maximum' && schema.exclusiveMaximum === true) return [['exclusiveMaximum', value]];
  const isFlag = (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') && typeof value === 'boolean';
  return isFlag ? [] : [[key, value]];
}

const withoutPrototype = (entries: [string, unknown][]): Record<string, unknown> =>
  Object.assign(Object.create(null), Object.fromEntries(entries));
