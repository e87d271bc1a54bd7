import { isDeepStrictEqual } from 'node:util';
import { type ApiDocument, JSON_TYPE, nameOfRef, operationsOf, refTo, type Schema } from './document.ts';

/** Where a schema is found: the named schema around it, and the properties that lead from there to it. */
interface Place {
  owner: string;
  path: string[];
}

/**
 * Gives names to the objects that are written where they are used. Generators make a type of each, and can only guess its
 * name, which another may have.
 */
export function nameSchemas(document: ApiDocument): void {
  const { schemas } = document.components;
  for (const [name, schema] of Object.entries(schemas)) nameWithin(schema, { owner: name, path: [] }, schemas);
  for (const { operation } of operationsOf(document)) {
    const owner = pascal(operation.operationId ?? '');
    for (const content of Object.values(operation.requestBody?.content ?? {}))
      if (content.schema) content.schema = named(content.schema, owner, { owner, path: [] }, schemas);
    for (const [status, { content = {} }] of Object.entries(operation.responses ?? {})) {
      const answer = status.startsWith('2') ? content[JSON_TYPE] : undefined;
      if (answer?.schema)
        answer.schema = named(answer.schema, answerName(answer.schema, owner), { owner, path: [] }, schemas);
    }
  }
  for (const [name, schema] of Object.entries(schemas)) {
    addDiscriminator(schema, schemas);
    nameMaps(schema, name, schemas);
  }
}

/** Gives a name to a map whose guessed name another schema has: generators would make two types of one name. */
function nameMaps({ properties = {} }: Schema, owner: string, schemas: Record<string, Schema>): void {
  for (const [key, part] of Object.entries(properties)) {
    const guessed = `${owner}${pascal(key)}`;
    if (part.additionalProperties === undefined || schemas[guessed] === undefined) continue;
    schemas[`${guessed}Map`] = part;
    properties[key] = refTo(`${guessed}Map`);
  }
}

/** A page is named after its items, any other answer after its operation. */
function answerName({ properties = {} }: Schema, operation: string): string {
  const item = nameOfRef(properties.items?.items ?? {});
  const isPage = item !== '' && isDeepStrictEqual(Object.keys(properties), ['items', 'next']);
  return isPage ? `${item}Page` : `${operation}Answer`;
}

/** Returns a reference to the object, which becomes a component, or the schema itself if it is no object. */
function named(schema: Schema, name: string, place: Place, schemas: Record<string, Schema>): Schema {
  if (schema.properties === undefined) {
    nameWithin(schema, place, schemas);
    return schema;
  }
  nameWithin(schema, place.path.length === 0 ? { owner: name, path: [] } : place, schemas);
  const [last = ''] = place.path.slice(-1).map(pascal);
  const same = Object.keys(schemas).find((one) => {
    return last !== '' && one.endsWith(last) && isDeepStrictEqual(schemas[one], schema);
  });
  const long = place.owner + place.path.map(pascal).join('');
  const free =
    same ??
    [name, long, `${name}Item`].find((one) => {
      return schemas[one] === undefined || isDeepStrictEqual(schemas[one], schema);
    });
  if (free === undefined) throw new Error(`Two different schemas would be named ${name}: give one an id`);
  schemas[free] = schema;
  return refTo(free);
}

function nameWithin(schema: Schema, place: Place, schemas: Record<string, Schema>): void {
  const inside = (key: string): Place => ({ ...place, path: [...place.path, key] });
  schema.properties &&= Object.fromEntries(
    Object.entries(schema.properties).map(([key, part]) => {
      return [key, named(part, nameOf(inside(key)), inside(key), schemas)];
    }),
  );
  if (typeof schema.additionalProperties === 'object') nameWithin(schema.additionalProperties, place, schemas);
  if (schema.items !== undefined) {
    const item = itemOf(place);
    schema.items = named(schema.items, nameOf(item), item, schemas);
  }
  for (const kind of ['anyOf', 'oneOf'] as const) {
    const variants = schema[kind];
    if (variants === undefined) continue;
    const constant = constantOf(variants);
    schema[kind] = variants.map((part, index) => {
      const own = variantOf(part, variants, constant, index);
      const name = constant === undefined ? nameOf(place, own) : `${place.owner}${own}`;
      return named(part, name, own === '' ? place : inside(own), schemas);
    });
  }
  addDiscriminator(schema, schemas);
}

/** Returns the place of the items of a list: the items of `steps` are named after a step. */
const itemOf = ({ owner, path }: Place): Place => ({
  owner,
  path: [...path.slice(0, -1), singular(path.at(-1) ?? 'item')],
});
const nameOf = ({ owner, path }: Place, own = '') => `${owner}${pascal(path.at(-1) ?? '')}${own}`;

/** Returns what distinguishes a variant in its union: the value of its constant, its first required property, or its index. */
function variantOf(part: Schema, variants: Schema[], constant: string | undefined, index: number): string {
  const objects = variants.filter(({ properties }) => properties !== undefined);
  const isAlone = variants.filter(({ type }) => type !== 'null').length < 2;
  if (constant !== undefined) return pascal(String(part.properties?.[constant]?.const ?? ''));
  if (isAlone || part.properties === undefined) return '';
  const others = objects.filter((other) => other !== part).flatMap(({ properties = {} }) => Object.keys(properties));
  const own = part.required?.find((key) => !others.includes(key)) ?? part.required?.[0];
  return own === undefined ? String(index + 1) : `By${pascal(own)}`;
}

/** Returns the property by whose constant the objects of a union differ, or undefined. */
function constantOf(variants: Schema[]): string | undefined {
  const objects = variants.filter(({ type }) => type !== 'null');
  const [first] = objects;
  return Object.keys(first?.properties ?? {}).find((key) => {
    const values = objects.map(({ properties = {}, required = [] }) =>
      required.includes(key) ? properties[key]?.const : undefined,
    );
    return values.every((value) => typeof value === 'string') && new Set(values).size === objects.length;
  });
}

/** States by which property the variants of a union of named objects differ. */
function addDiscriminator(schema: Schema, schemas: Record<string, Schema>): void {
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const names = variants.map(nameOfRef);
  const targets = names.flatMap((name) => schemas[name] ?? []);
  if (targets.length < 2 || targets.length < variants.length) return;
  const propertyName = constantOf(targets);
  if (propertyName === undefined) return;
  const mapping = names.map((name, index) => [
    String(targets[index]?.properties?.[propertyName]?.const),
    refTo(name).$ref,
  ]);
  delete schema.anyOf;
  Object.assign(schema, { oneOf: variants, discriminator: { propertyName, mapping: Object.fromEntries(mapping) } });
}

const pascal = (text: string) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const singular = (word: string) => word.replace(/ies$/, 'y').replace(/(?<=s)es$|(?<=[^su])s$/, '');
