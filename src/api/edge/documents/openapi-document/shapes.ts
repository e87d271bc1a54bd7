import { isDeepStrictEqual } from 'node:util';
import { type ApiDocument, type Schema, visitSchemas } from './document.ts';

/** What these formats demand is known: a pattern for it takes a fifth of the document. */
const KNOWN_FORMATS = ['uuid', 'date-time', 'date', 'time', 'duration'];
const NULL = 'null';
const SIMPLE_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
/** Keywords that say something about a schema and nothing about the values it accepts. */
const ANNOTATIONS = ['description', 'examples', 'default', 'title', 'deprecated'];
const FREE_JSON = 'Any JSON value.';

/** Writes each schema in the short form that readers and generators of clients expect. */
export const simplifySchemas = (document: ApiDocument): void => visitSchemas(document, simplify);

function simplify(schema: Schema): void {
  if (KNOWN_FORMATS.includes(schema.format ?? '')) delete schema.pattern;
  delete schema.propertyNames;
  if (schema.$ref !== undefined) keepAnnotations(schema);
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  describeDefault(schema);
  narrowNumber(schema);
  flattenUnions(schema);
  joinConstants(schema);
  joinNull(schema);
  for (const member of Object.values(schema.properties ?? {})) if (member.type === NULL) describeNull(member);
  if (isAnything(schema.additionalProperties)) schema.additionalProperties = true;
  if (isAnything(schema)) schema.description ??= FREE_JSON;
}

/** Generators know no type that is null alone. */
const describeNull = (schema: Schema) =>
  Object.assign(schema, { type: ['string', NULL], description: schema.description ?? 'Always null.' });

/** Generators know no default that is an object. */
function describeDefault(schema: Schema): void {
  const { default: given, description, properties } = schema;
  if (given === undefined || properties === undefined) return;
  delete schema.default;
  if (Object.keys(given as object).length === 0) return;
  const sentence = `Default: \`${JSON.stringify(given)}\`.`;
  schema.description = description === undefined ? sentence : `${description} ${sentence}`;
}

/** A number of which only whole values are allowed is an integer: the client of Java has no enumeration of fractions. */
function narrowNumber(schema: Schema): void {
  const values = schema.enum ?? [schema.const];
  if (schema.type === 'number' && values.every(Number.isInteger)) schema.type = 'integer';
}

const isAnything = (schema: Schema | boolean | undefined): boolean =>
  typeof schema === 'object' && Object.keys(schema).every((key) => ANNOTATIONS.includes(key));

/** Other keywords of a reference say nothing more than its target, apart from annotations. */
function keepAnnotations(schema: Schema): void {
  for (const key of Object.keys(schema) as (keyof Schema)[])
    if (key !== '$ref' && !ANNOTATIONS.includes(key)) delete schema[key];
}

/** A union directly within a union becomes part of it. */
function flattenUnions(schema: Schema): void {
  schema.anyOf &&= schema.anyOf.flatMap((part) => {
    const { anyOf, ...rest } = part;
    return anyOf !== undefined && isAnything(rest) ? anyOf : [part];
  });
  schema.anyOf &&= schema.anyOf.filter((part, index, all) => {
    return all.findIndex((other) => isDeepStrictEqual(other, part)) === index;
  });
  if (schema.anyOf?.some(isAnything) || hasContainer(schema)) delete schema.anyOf; // a union with anything is anything
}

/** Whether a union has a list or a free object beside something else. Generators of Java and Go know no such type. */
export function hasContainer({ anyOf = [] }: Schema): boolean {
  const parts = anyOf.filter(({ type }) => type !== NULL);
  const isContainer = ({ type, properties }: Schema) =>
    [type].flat().some((one) => one === 'array' || one === 'object') && properties === undefined;
  return parts.length > 1 && parts.some(isContainer);
}

/** Constants of one type in a union become one enumeration. */
function joinConstants(schema: Schema): void {
  const [first, ...more] = schema.anyOf?.filter((part) => part.const !== undefined) ?? [];
  if (first === undefined || more.length === 0 || more.some((part) => part.type !== first.type)) return;
  const rest = schema.anyOf?.filter((part) => part.const === undefined) ?? [];
  const joined: Schema = { type: first.type, enum: [first, ...more].map((part) => part.const) };
  if (rest.length > 0) schema.anyOf = [joined, ...rest];
  else replaceUnion(schema, joined);
}

/** Null in a union becomes part of a simple type in it. */
function joinNull(schema: Schema): void {
  const parts = schema.anyOf?.filter((part) => part.type !== NULL) ?? [];
  const index = parts.findIndex(isSimple);
  const simple = parts[index];
  if (parts.length === schema.anyOf?.length || simple === undefined) return;
  const orNull = nullable(simple);
  if (parts.length > 1) schema.anyOf = parts.with(index, orNull);
  else replaceUnion(schema, orNull);
}

const isSimple = ({ type, properties }: Schema) =>
  typeof type === 'string' && SIMPLE_TYPES.includes(type) && properties === undefined;

function nullable({ const: value, ...schema }: Schema): Schema {
  const values = value === undefined ? schema.enum : [value];
  return { ...schema, type: [String(schema.type), NULL], ...(values && { enum: [...values, null] }) };
}

function replaceUnion(schema: Schema, by: Schema): void {
  delete schema.anyOf;
  Object.assign(schema, { ...by, ...schema });
}
