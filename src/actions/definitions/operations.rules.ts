import type { Issue } from '../../errors.ts';
import { headerNameProblem } from '../../providers/egress/headers.rules.ts';
import { type BodyType, bodyTypeIn } from './body-types.rules.ts';
import { problemOfStyle } from './parameter-styles.rules.ts';
import { UnresolvedReference } from './references.rules.ts';
import { resolverOf, withoutReferences } from './resolved-operations.rules.ts';
import type { ActionPayload, JsonSchema, OperationParameter, RequestType } from './schema.ts';
import { rootNameOf } from './xml-names.rules.ts';

/** The HTTP operation of an action. */
export interface Operation {
  api_endpoint: string;
  request_type: RequestType;
  payload: ActionPayload;
}

const PLACEHOLDER = /\{([^{}/]+)\}/g;

/**
 * Returns the problems of an operation with its own description, each by its field. Without problems the action can be
 * called.
 */
export function problemsOf(operation: Operation): Issue[] {
  const problemsOfSchema = createSchemaCheck(operation.payload);
  return [
    ...problemsOfEndpoint(operation),
    ...problemsOfMethod(operation),
    ...(operation.payload.parameters ?? []).flatMap((parameter, index, all) =>
      [
        ...problemsOfParameter(operation, parameter, all.slice(0, index)),
        ...problemsOfSchema(parameter.schema, 'schema'),
      ].map(({ path, message }) => ({ path: `payload.parameters.${index}.${path}`, message })),
    ),
    ...problemsOfBody(operation, problemsOfSchema),
  ];
}

/** Returns the type of the operation's body. Undefined if it has no body. */
export const bodyTypeOf = ({ payload }: Operation): BodyType | undefined =>
  bodyTypeIn(payload.requestBody?.content ?? {});

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
  const { name, in: place } = parameter;
  const header = place === 'header' ? headerNameProblem(name) : undefined;
  const style = problemOfStyle(parameter);
  return [
    ...(place === 'path' && !placeholdersOf(api_endpoint).includes(name)
      ? [{ path: 'name', message: `must appear as {${name}} in the path of api_endpoint` }]
      : []),
    ...(before.some((other) => isSameParameter(other, parameter))
      ? [{ path: 'name', message: 'must not appear twice in the same place' }]
      : []),
    ...(header === undefined ? [] : [{ path: 'name', message: header }]),
    ...(style === undefined ? [] : [{ path: 'style', message: style }]),
  ];
}

const isSameParameter = (one: OperationParameter, other: OperationParameter) =>
  one.in === other.in &&
  (one.in === 'header' ? one.name.toLowerCase() === other.name.toLowerCase() : one.name === other.name);

function problemsOfBody(operation: Operation, problemsOfSchema: SchemaProblems): Issue[] {
  const { requestBody } = operation.payload;
  if (requestBody === undefined) return [];
  if (operation.request_type === 'GET')
    return [{ path: 'payload.requestBody', message: 'must not be there: a GET has no body' }];
  if (bodyTypeOf(operation) === undefined)
    return [{ path: 'payload.requestBody.content', message: 'must have a media type, such as application/json' }];
  const issues = Object.entries(requestBody.content).flatMap(([type, { schema }]) =>
    problemsOfSchema(schema, `payload.requestBody.content.${type}.schema`),
  );
  return issues.length > 0 ? issues : problemsOfXml(withoutReferences(operation));
}

/** An XML document needs a name for its root element, unless the whole of it is given as text. */
function problemsOfXml(operation: Operation): Issue[] {
  const type = bodyTypeOf(operation);
  const isObject = type?.kind === 'xml' && type.schema !== undefined && type.schema.type !== 'string';
  if (!isObject || rootNameOf(type.schema) !== undefined) return [];
  const path = `payload.requestBody.content.${type.mediaType}.schema`;
  return [{ path, message: 'must have xml.name, the name of the root element, or type: string' }];
}

/** Returns the problems of a schema at a path. */
type SchemaProblems = (schema: JsonSchema | undefined, path: string) => Issue[];

/**
 * Returns a check of the schemas of one operation. Their references must lead to a place in the payload or in the schema
 * itself, and all of them together must not grow beyond a bound.
 */
function createSchemaCheck(payload: ActionPayload): SchemaProblems {
  const resolve = resolverOf(payload);
  return (schema, path) => {
    if (schema === undefined) return [];
    if (hasDynamicReference(schema)) return [{ path, message: 'must not hold $dynamicRef: $ref is followed' }];
    try {
      resolve(schema);
      return [];
    } catch (error) {
      if (!(error instanceof UnresolvedReference)) throw error;
      return [{ path, message: error.message }];
    }
  };
}

/** Returns whether a schema contains a dynamic reference. A reference is text; a property may also be named so. */
function hasDynamicReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inside]) =>
    key === '$dynamicRef' ? typeof inside === 'string' : hasDynamicReference(inside),
  );
}
