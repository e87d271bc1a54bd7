import type { Issue } from '../../errors.ts';
import { headerNameProblem } from '../../providers/egress/headers.rules.ts';
import type { ActionPayload, JsonSchema, OperationParameter, RequestType } from './schema.ts';

/** The HTTP operation of an action. */
export interface Operation {
  api_endpoint: string;
  request_type: RequestType;
  payload: ActionPayload;
}

const PLACEHOLDER = /\{([^{}/]+)\}/g;
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded(?:;|$)/i;

/**
 * Returns the problems of an operation with its own description, each by its field. Without problems the action can be
 * called.
 */
export function problemsOf(operation: Operation): Issue[] {
  return [
    ...problemsOfEndpoint(operation),
    ...problemsOfMethod(operation),
    ...(operation.payload.parameters ?? []).flatMap((parameter, index, all) =>
      problemsOfParameter(operation, parameter, all.slice(0, index)).map(({ path, message }) => ({
        path: `payload.parameters.${index}.${path}`,
        message,
      })),
    ),
    ...problemsOfBody(operation),
  ];
}

export interface BodyType {
  kind: 'json' | 'form';
  /** The `content-type` of the request. */
  mediaType: string;
  schema: JsonSchema | undefined;
}

/** Returns the type of the operation's body, JSON before form. Undefined if it has no body. */
export function bodyTypeOf({ payload }: Operation): BodyType | undefined {
  const types = Object.entries(payload.requestBody?.content ?? {});
  const kinds = [
    ['json', JSON_TYPE],
    ['form', FORM_TYPE],
  ] as const;
  for (const [kind, pattern] of kinds) {
    const found = types.find(([type]) => pattern.test(type));
    if (found === undefined) continue;
    const [type, { schema }] = found;
    return { kind, mediaType: type.replace(/;.*$/s, ''), schema };
  }
  return undefined;
}

/** Returns the names of an address's path parameters. */
const placeholdersOf = (endpoint: string): string[] => [...endpoint.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** Replaces each path parameter of an address with its text. */
export const withPathParameters = (endpoint: string, textOf: (name: string) => string): string =>
  endpoint.replaceAll(PLACEHOLDER, (_, name: string) => textOf(name));

function problemsOfEndpoint({ api_endpoint, payload }: Operation): Issue[] {
  const refuse = (message: string) => [{ path: 'api_endpoint', message }];
  const [, origin = '', path = '', rest = ''] = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(.*)$/is.exec(api_endpoint) ?? [];
  if (origin.includes('@')) return refuse('must not hold a user name or password');
  if (/[{}]/.test(origin + rest)) return refuse('can have {names} in its path only');
  if (/[{}]/.test(withPathParameters(path, () => ''))) return refuse('has braces that enclose no name');
  const declared = new Set(
    (payload.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name),
  );
  return placeholdersOf(path)
    .filter((name) => !declared.has(name))
    .flatMap((name) => refuse(`has {${name}}, which is no parameter of payload.parameters with in: path`));
}

const problemsOfMethod = ({ request_type, payload: { method } }: Operation): Issue[] =>
  method === undefined || method === request_type.toLowerCase()
    ? []
    : [{ path: 'payload.method', message: `must be ${request_type.toLowerCase()}, as request_type says` }];

function problemsOfParameter(
  { api_endpoint }: Operation,
  parameter: OperationParameter,
  before: OperationParameter[],
): Issue[] {
  const { name, in: place, schema } = parameter;
  const header = place === 'header' ? headerNameProblem(name) : undefined;
  return [
    ...(place === 'path' && !placeholdersOf(api_endpoint).includes(name)
      ? [{ path: 'name', message: `must stand as {${name}} in the path of api_endpoint` }]
      : []),
    ...(before.some((other) => isSameParameter(other, parameter))
      ? [{ path: 'name', message: 'must not stand twice in the same place' }]
      : []),
    ...(header === undefined ? [] : [{ path: 'name', message: header }]),
    ...problemsOfSchema(schema, 'schema'),
  ];
}

const isSameParameter = (one: OperationParameter, other: OperationParameter) =>
  one.in === other.in &&
  (one.in === 'header' ? one.name.toLowerCase() === other.name.toLowerCase() : one.name === other.name);

function problemsOfBody(operation: Operation): Issue[] {
  const { requestBody } = operation.payload;
  if (requestBody === undefined) return [];
  if (operation.request_type === 'GET')
    return [{ path: 'payload.requestBody', message: 'must not be there: a GET has no body' }];
  if (bodyTypeOf(operation) === undefined) {
    const message = 'must have application/json or application/x-www-form-urlencoded';
    return [{ path: 'payload.requestBody.content', message }];
  }
  return Object.entries(requestBody.content).flatMap(([type, { schema }]) =>
    problemsOfSchema(schema, `payload.requestBody.content.${type}.schema`),
  );
}

function problemsOfSchema(schema: JsonSchema | undefined, path: string): Issue[] {
  return containsReference(schema) ? [{ path, message: 'must not hold $ref: put what it refers to in its place' }] : [];
}

/** Returns whether a schema contains a reference. A reference is text; a property may also be named `$ref`. */
function containsReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) =>
    key === '$ref' || key === '$dynamicRef' ? typeof inside === 'string' : containsReference(inside),
  );
}
