import type { JsonSchema } from './schema.ts';
import { objectOf, propertyOf } from './schema-parts.rules.ts';

const ALTERNATIVES = ['anyOf', 'oneOf'] as const;
/** Keywords with one schema, or a list of them, for the very value that their own schema is for. */
const IN_PLACE = ['allOf', ...ALTERNATIVES, 'if', 'then', 'else'] as const;
/** Keywords with one schema, or a list of them, for what is inside of a value. */
const INSIDE = ['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties'] as const;
/** Keywords with schemas by name. */
const BY_NAME = ['properties', 'patternProperties'] as const;

/**
 * Returns a schema for requests: without its readOnly properties, which only answers have (OpenAPI 3). A property is
 * readOnly if its schema, or a part of it, says so. Of alternatives, all that have the property must say so.
 */
export const requestSchemaOf = (schema: JsonSchema): JsonSchema =>
  JSON.stringify(schema).includes('"readOnly":true') ? withoutNames(schema, new Set()) : schema;

function withoutNames(schema: JsonSchema, outer: ReadonlySet<string>): JsonSchema {
  const names = new Set([...outer, ...namesIn(schema).readOnly]);
  const changed: JsonSchema = { ...schema };
  for (const key of IN_PLACE)
    if (key in schema) changed[key] = mapSchemas(schema[key], (one) => withoutNames(one, names));
  for (const key of INSIDE) if (key in schema) changed[key] = mapSchemas(schema[key], requestPartOf);
  for (const key of BY_NAME) {
    const members = objectOf(schema[key]);
    if (members !== undefined) changed[key] = mapMembers(members, key === 'properties' ? names : new Set());
  }
  if (Array.isArray(schema.required)) changed.required = schema.required.filter((name) => !names.has(name));
  return changed;
}

const requestPartOf = (schema: JsonSchema): JsonSchema => withoutNames(schema, new Set());

const mapSchemas = (value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown => {
  const changed = (one: unknown) => {
    const schema = objectOf(one);
    return schema === undefined ? one : change(schema);
  };
  return Array.isArray(value) ? value.map(changed) : changed(value);
};

const mapMembers = (members: JsonSchema, without: ReadonlySet<string>): JsonSchema =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([name]) => !without.has(name))
      .map(([name, one]) => [name, mapSchemas(one, requestPartOf)]),
  );

/** Names of properties of a schema, and of what applies beside it. */
interface PropertyNames {
  all: Set<string>;
  readOnly: Set<string>;
}

/** Nested schemas are asked for by each of those around them. */
const known = new WeakMap<JsonSchema, PropertyNames>();

function namesIn(schema: JsonSchema): PropertyNames {
  const cached = known.get(schema);
  if (cached !== undefined) return cached;
  const properties = Object.entries(objectOf(schema.properties) ?? {});
  const all = new Set(properties.map(([name]) => name));
  const readOnly = new Set(properties.filter(([, one]) => isReadOnly(one)).map(([name]) => name));
  const add = (names: PropertyNames) => {
    for (const name of names.all) all.add(name);
    for (const name of names.readOnly) readOnly.add(name);
  };
  for (const one of schemasIn(schema.allOf)) add(namesIn(one));
  for (const key of ALTERNATIVES) add(namesOfAlternatives(schemasIn(schema[key]).map(namesIn)));
  known.set(schema, { all, readOnly });
  return { all, readOnly };
}

function namesOfAlternatives(alternatives: PropertyNames[]): PropertyNames {
  const union = (of: (names: PropertyNames) => Iterable<string>) =>
    new Set(alternatives.flatMap((one) => [...of(one)]));
  const open = union(({ all, readOnly }) => [...all].filter((name) => !readOnly.has(name)));
  const marked = union(({ readOnly }) => readOnly);
  return { all: union(({ all }) => all), readOnly: new Set([...marked].filter((name) => !open.has(name))) };
}

function isReadOnly(value: unknown): boolean {
  const schema = objectOf(value);
  if (schema === undefined) return false;
  if (schema.readOnly === true || schemasIn(schema.allOf).some(isReadOnly)) return true;
  return ALTERNATIVES.some((key) => {
    const alternatives = schemasIn(schema[key]);
    return alternatives.length > 0 && alternatives.every(isReadOnly);
  });
}

/** Returns the schemas of a keyword with one schema or a list of them. */
function schemasIn(value: unknown): JsonSchema[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map(objectOf).filter((schema) => schema !== undefined);
}

/** Returns a value without the readOnly properties of its schema: requests must not have them. */
export const withoutReadOnly = (schema: JsonSchema | undefined, value: unknown): unknown =>
  schema === undefined || !JSON.stringify(schema).includes('"readOnly":true') ? value : createRemover(schema)(value);

/** Returns a function that removes readOnly properties. Parts of the schema are looked up once for each name. */
function createRemover(schema: JsonSchema): (value: unknown) => unknown {
  const names = namesIn(schema).readOnly;
  const parts = partsInPlace(schema);
  const removers = new Map<string | number, (value: unknown) => unknown>();
  const removerAt = (key: string | number, schemas: () => JsonSchema[]) => {
    const known = removers.get(key);
    if (known !== undefined) return known;
    const inside = schemas();
    const created = inside.length === 0 ? (value: unknown) => value : createRemover({ allOf: inside });
    removers.set(key, created);
    return created;
  };
  const prefixes = Math.max(
    0,
    ...parts.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0)),
  );
  const ofItem = (at: number) => {
    const index = Math.min(at, prefixes);
    return removerAt(index, () => parts.flatMap((part) => itemSchemasOf(part, index)));
  };
  const ofMember = (name: string) => removerAt(name, () => parts.flatMap((part) => memberSchemasOf(part, name)));
  return (value) => {
    if (Array.isArray(value)) return value.map((item, at) => ofItem(at)(item));
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !names.has(name));
    return Object.fromEntries(kept.map(([name, inside]) => [name, ofMember(name)(inside)]));
  };
}

const partsInPlace = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...IN_PLACE.flatMap((key) => schemasIn(schema[key]).flatMap(partsInPlace)),
];

const itemSchemasOf = ({ items, prefixItems }: JsonSchema, index: number): JsonSchema[] =>
  schemasIn((Array.isArray(prefixItems) ? prefixItems[index] : undefined) ?? items);

const memberSchemasOf = (schema: JsonSchema, name: string): JsonSchema[] =>
  schemasIn(propertyOf(schema, name) ?? schema.additionalProperties);
