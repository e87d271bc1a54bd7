import { type ApiDocument, type Schema, visitSchemas } from './document.ts';

/** What these formats demand is known: a pattern for it takes a fifth of the document. */
const KNOWN_FORMATS = ['uuid', 'date-time', 'date', 'time', 'duration'];
const NULL = 'null';
const SCALARS = ['string', 'integer', 'number', 'boolean', 'array'];
/** Keywords that say something about a schema and nothing about the values it accepts. */
const ANNOTATIONS = ['description', 'examples', 'default', 'title', 'deprecated'];
const FREE_JSON = 'Any JSON value.';

/** Writes each schema in the short form that readers and generators of clients expect. */
export const simplifySchemas = (document: ApiDocument): void => visitSchemas(document, simplify);

function simplify(schema: Schema): void {
  if (KNOWN_FORMATS.includes(schema.format ?? '')) delete schema.pattern;
  delete schema.propertyNames;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
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

const isAnything = (schema: Schema | boolean | undefined): boolean =>
  typeof schema === 'object' && Object.keys(schema).every((key) => ANNOTATIONS.includes(key));

/** A union directly within a union becomes part of it. */
function flattenUnions(schema: Schema): void {
  schema.anyOf &&= schema.anyOf.flatMap((part) => {
    const { anyOf, ...rest } = part;
    return anyOf !== undefined && isAnything(rest) ? anyOf : [part];
  });
  if (schema.anyOf?.some(isAnything)) delete schema.anyOf; // a union with anything is anything
}

/** Constants of one type in a union become one enumeration. */
function joinConstants(schema: Schema): void {
  const constants = schema.anyOf?.filter((part) => part.const !== undefined && part.type === 'string') ?? [];
  if (constants.length < 2) return;
  const rest = schema.anyOf?.filter((part) => !constants.includes(part)) ?? [];
  const joined: Schema = { type: 'string', enum: constants.map((part) => part.const) };
  if (rest.length > 0) schema.anyOf = [joined, ...rest];
  else replaceUnion(schema, joined);
}

/** A union of one simple type and null becomes a type that includes null. */
function joinNull(schema: Schema): void {
  const [first, second, ...more] = schema.anyOf ?? [];
  const other = first?.type === NULL ? second : first;
  if (more.length > 0 || other === undefined || ![first, second].some((part) => part?.type === NULL)) return;
  if (typeof other.type !== 'string' || !SCALARS.includes(other.type)) return;
  const values = other.const === undefined ? other.enum : [other.const];
  const { const: _, ...rest } = other;
  replaceUnion(schema, { ...rest, type: [other.type, NULL], ...(values && { enum: [...values, null] }) });
}

function replaceUnion(schema: Schema, by: Schema): void {
  delete schema.anyOf;
  Object.assign(schema, { ...by, ...schema });
}
