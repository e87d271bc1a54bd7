import fc from 'fast-check';
import { STATUSES_OF_RANGE } from '../../src/api/edge/documents/openapi-document/answers.ts';

/** JSON Schema as written into the document by zod. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  propertyNames?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
}

export interface Parameter {
  in: 'path' | 'query';
  name: string;
  required: boolean;
  schema: Schema;
}

/** One operation of the OpenAPI document. */
export interface Operation {
  /** METHOD /path, for messages. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  key: 'org' | 'partner' | 'none';
  /** The scope required from a limited org key, if any. */
  scope: string | undefined;
  pathParameters: Parameter[];
  queryParameters: Parameter[];
  body: Schema | undefined;
  statuses: number[];
}

export interface Document {
  operations: Operation[];
  /** Returns a schema with its reference resolved. */
  resolve(schema: Schema): Schema;
  /** Returns bodies accepted by the operation: its examples, or else one generated from the schema. */
  bodiesOf(operation: Operation): unknown[];
  /** Returns whether the schema allows the value, as far as JSON Schema can express it. */
  allows(schema: Schema, value: unknown): boolean;
  /** Returns a value allowed by the schema. */
  sample(schema: Schema, name?: string): unknown;
  /** Returns every place inside of a value, in every variant allowed by the schema. */
  places(schema: Schema, base: unknown): Iterable<Place>;
}

/** A place in a body: its schema, and functions to create a body with another value there. */
export interface Place {
  path: string[];
  schema: Schema;
  isRequired: boolean;
  /** The current value. */
  value: unknown;
  /** The name of the enclosing component, if any. */
  component: string | undefined;
  /** Returns the whole body with another value there. */
  put(value: unknown): unknown;
  /** Returns the whole body without it. Only for members of an object. */
  leaveOut: (() => unknown) | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const MAX_DEPTH = 16;

interface OpenApi {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

type Shared = Pick<OpenApi['components'], 'parameters'>;

interface RawOperation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  security: Record<string, string[]>[];
  responses: Record<string, unknown>;
}

/** Reads an OpenAPI document for the tests of this folder. */
export function readDocument({ paths, components }: OpenApi): Document {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : { ...resolve(component(schema.$ref)), ...without(schema, '$ref') };
  const component = ($ref: string) => components.schemas[componentName($ref) ?? ''] ?? {};
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) =>
      item[method] === undefined ? [] : [operationOf(method, path, item[method], components)],
    ),
  );

  function sample(given: Schema, name = ''): unknown {
    const schema = resolve(given);
    if (schema.examples !== undefined) return schema.examples[0];
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    if (schema.default !== undefined) return schema.default;
    const branch = schema.oneOf?.[0] ?? schema.anyOf?.[0];
    if (branch !== undefined) return sample(branch, name);
    switch ([schema.type].flat()[0]) {
      case 'string':
        return sampleText(schema, name);
      case 'integer':
      case 'number':
        return Math.max(schema.minimum ?? 1, 1);
      case 'boolean':
        return false;
      case 'array':
        return schema.items === undefined ? [] : [sample(schema.items, name)];
      case 'object':
        return sampleObject(schema);
      default:
        return null;
    }
  }

  function sampleObject({ properties = {}, required = [], additionalProperties }: Schema): object {
    const members = required.map((name) => [name, sample(properties[name] ?? {}, name)]);
    if (typeof additionalProperties === 'object') members.push(['key', sample(additionalProperties, 'key')]);
    return Object.fromEntries(members);
  }

  function* walk(given: Schema, place: Omit<Place, 'schema'>, depth: number): Iterable<Place> {
    const here = { ...place, component: componentName(given.$ref) ?? place.component };
    const schema = resolve(given);
    yield { ...here, schema };
    if (depth > MAX_DEPTH) return;

    const branches = schema.oneOf ?? schema.anyOf;
    if (branches !== undefined) {
      for (const branch of branches) {
        const base = fits(resolve(branch), here.value) ? here.value : sample(branch, here.path.at(-1));
        if (!isScalar(resolve(branch))) yield* walk(branch, { ...here, value: base }, depth + 1);
      }
      return;
    }
    if (schema.items !== undefined) {
      const list = Array.isArray(here.value) && here.value.length > 0 ? here.value : [sample(schema.items)];
      const put = (item: unknown) => here.put([item, ...list.slice(1)]);
      const item = { ...here, path: [...here.path, '0'], value: list[0], isRequired: false, put, leaveOut: undefined };
      yield* walk(schema.items, item, depth + 1);
    }
    const object = isObject(here.value) ? here.value : {};
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const inside = {
        ...here,
        path: [...here.path, name],
        value: name in object ? object[name] : sample(member, name),
        isRequired: schema.required?.includes(name) ?? false,
        put: (value: unknown) => here.put({ ...object, [name]: value }),
        leaveOut: () => here.put(without(object, name)),
      };
      yield* walk(member, inside, depth + 1);
    }
    if (typeof schema.additionalProperties === 'object') {
      const put = (value: unknown) => here.put({ ...object, key: value });
      const inside = {
        ...here,
        path: [...here.path, 'key'],
        value: 'text',
        isRequired: false,
        put,
        leaveOut: undefined,
      };
      yield* walk(schema.additionalProperties, inside, depth + 1);
    }
  }

  function allows(given: Schema, value: unknown): boolean {
    const schema = resolve(given);
    const { oneOf, anyOf, enum: values, type } = schema;
    const branches = oneOf ?? anyOf;
    if (branches !== undefined && !branches.some((branch) => allows(branch, value))) return false;
    if (schema.const !== undefined && value !== schema.const) return false;
    if (values !== undefined && !values.includes(value)) return false;
    const types = [typeOf(value), ...(typeof value === 'number' ? ['number'] : [])];
    if (type !== undefined && !types.some((one) => [type].flat().includes(one))) return false;
    if (typeof value === 'string') return allowsText(schema, value);
    if (typeof value === 'number') return allowsNumber(schema, value);
    if (Array.isArray(value)) {
      const { items, minItems = 0, maxItems = Infinity } = schema;
      if (value.length < minItems || value.length > maxItems) return false;
      return items === undefined || value.every((item) => allows(items, item));
    }
    return !isObject(value) || allowsObject(schema, value);
  }

  function allowsObject(schema: Schema, value: Record<string, unknown>): boolean {
    const { properties = {}, required = [], additionalProperties: others = true, propertyNames: names } = schema;
    const members = Object.entries(value);
    if (members.length > (schema.maxProperties ?? Infinity) || !required.every((name) => Object.hasOwn(value, name))) {
      return false;
    }
    return members.every(([name, member]) => {
      if (names !== undefined && !allows(names, name)) return false;
      if (Object.hasOwn(properties, name)) return allows(properties[name] ?? {}, member);
      return typeof others === 'boolean' ? others : allows(others, member);
    });
  }

  return {
    operations,
    resolve,
    sample,
    allows,
    bodiesOf({ body }) {
      if (body === undefined) return [undefined];
      return resolve(body).examples ?? [sample(body)];
    },
    places: (schema, base) =>
      walk(
        schema,
        { path: [], value: base, isRequired: true, component: undefined, put: (value) => value, leaveOut: undefined },
        0,
      ),
  };
}

/** Returns the JSON Schema type of a value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Returns the path with its parameters filled in. */
export function pathTo({ path }: Operation, values: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? `no-${name}`));
}

/** Returns an operation's parameters, also those that are written once for many operations. */
export const parametersOf = ({ parameters = [] }: Pick<RawOperation, 'parameters'>, { parameters: shared }: Shared) =>
  parameters.flatMap((given) => ('$ref' in given ? (shared[given.$ref.split('/').at(-1) ?? ''] ?? []) : [given]));

function operationOf(method: (typeof METHODS)[number], path: string, raw: RawOperation, components: Shared): Operation {
  const [security = {}] = raw.security;
  const key = 'partner' in security ? 'partner' : 'org' in security ? 'org' : 'none';
  const upper = method.toUpperCase() as Operation['method'];
  const parameters = parametersOf(raw, components);
  return {
    name: `${upper} ${path}`,
    method: upper,
    path,
    key,
    scope: security.org?.[0],
    pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
    queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
    body: raw.requestBody?.content['application/json']?.schema,
    statuses: Object.keys(raw.responses)
      .flatMap((status) => STATUSES_OF_RANGE[status] ?? [status])
      .map(Number),
  };
}

function sampleText({ format, pattern, minLength = 0 }: Schema, name: string): string {
  if (format === 'email' || /email/i.test(name)) return 'ann@example.com';
  if (format === 'uuid') return '00000000-0000-4000-8000-000000000000';
  if (format === 'date-time') return '2026-01-31T12:00:00.000Z';
  if (format === 'uri') return 'https://example.com/';
  if (/phone/i.test(name)) return '+442079460958';
  if (pattern !== undefined) return fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 1, seed: 1 })[0] ?? '';
  return 'text'.padEnd(minLength, 'x');
}

/** Counts characters like JSON Schema, not UTF-16 code units like JavaScript. */
const allowsText = ({ minLength = 0, maxLength = Infinity, pattern }: Schema, text: string): boolean => {
  const length = text.length > 2 * maxLength ? Infinity : [...text].length;
  return length >= minLength && length <= maxLength && (pattern === undefined || new RegExp(pattern).test(text));
};

const allowsNumber = (schema: Schema, number: number): boolean =>
  number >= (schema.minimum ?? -Infinity) &&
  number <= (schema.maximum ?? Infinity) &&
  number > (schema.exclusiveMinimum ?? -Infinity) &&
  number < (schema.exclusiveMaximum ?? Infinity);

/** Returns whether a value matches this branch of a union. */
function fits({ properties = {}, required = [], type }: Schema, value: unknown): boolean {
  if (!isObject(value)) return [type].flat().includes(typeOf(value));
  const isOther = Object.entries(properties).some(
    ([name, { const: only }]) => only !== undefined && value[name] !== only,
  );
  return type === 'object' && !isOther && required.every((name) => name in value);
}

const isScalar = ({ type, oneOf, anyOf }: Schema) =>
  oneOf === undefined && anyOf === undefined && type !== 'object' && type !== 'array';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const componentName = ($ref: string | undefined) => $ref?.slice('#/components/schemas/'.length);

function without<T extends object>(object: T, name: string): T {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name)) as T;
}
