import type { Issue } from '../../errors.ts';
import { headerNameProblem, headerValueProblem } from '../../providers/egress/headers.rules.ts';
import type { BodyType } from '../definitions/body-types.rules.ts';
import { bodyTypeOf, type Operation, withPathParameters } from '../definitions/operations.rules.ts';
import { requestSchemaOf, withoutReadOnly } from '../definitions/read-only.rules.ts';
import type { JsonSchema } from '../definitions/schema.ts';
import { propertyOf } from '../definitions/schema-parts.rules.ts';
import { mergeOverrides, NO_OVERRIDES, type Overrides, withLowerCaseNames } from '../overrides/rules.ts';
import { encodeBody, issuesOfForm } from './bodies.rules.ts';
import type { ActionParameters } from './schema.ts';
import {
  headersOf,
  headerTextOf,
  type ParameterValue,
  pairOf,
  pairsOf,
  pathTextOf,
  textsIn,
} from './serialization.rules.ts';

const MAX_URL_LENGTH = 8_192;
const MAX_HEADERS = 100;
const GROUPS = { path: 'path_params', query: 'query_params', header: 'headers', cookie: 'cookies' } as const;
type Group = (typeof GROUPS)[keyof typeof GROUPS];

/** The HTTP request of an action. */
export interface ActionRequest {
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** Returns the violations of a schema by a value. */
export type SchemaCheck = (schema: JsonSchema, value: unknown, path: string) => Issue[];

/** Values beside the given ones: the org's replace them, a visitor's only supply what is missing. */
export interface ValueSources {
  own: Overrides;
  visitor: Overrides;
}

/** Returns the request for an operation with the given parameters, or all problems by field of those parameters. */
export function requestOf(
  operation: Operation,
  given: ActionParameters,
  sources: ValueSources,
  check: SchemaCheck,
): { request: ActionRequest } | { issues: Issue[] } {
  const overrides = mergeOverrides([sources.visitor, sources.own]);
  const values = valuesOf(operation, given, sources);
  const type = requestBodyTypeOf(operation);
  const body = bodyOf(operation, given, sources);
  const issues = [
    ...issuesOfUnknownParameters(operation, given),
    ...values.flatMap((value) => issuesOfValue(value, check)),
    ...issuesOfOverrideHeaders(overrides),
    ...issuesOfBody(operation, type, body, check),
  ];
  if (issues.length > 0) return { issues };
  const url = urlOf(operation, values, sources);
  if (url === undefined)
    return { issues: [{ path: 'path_params', message: 'must not change which path of api_endpoint is called' }] };
  if (url.length > MAX_URL_LENGTH)
    return { issues: [{ path: 'query_params', message: `make an address of over ${MAX_URL_LENGTH} characters` }] };
  const headers = { ...sources.visitor.headers, ...headersOf(values), ...sources.own.headers };
  if (Object.keys(headers).length > MAX_HEADERS)
    return { issues: [{ path: 'headers', message: `must be at most ${MAX_HEADERS}` }] };
  if (type === undefined || body === undefined) return { request: { url, headers: withDefaults(headers) } };
  const encoded = encodeBody(type, body);
  return { request: { url, headers: withDefaults(headers, encoded.mediaType), body: encoded.body } };
}

/**
 * Returns all problems of given parameters by themselves, before overrides are known. `maySupply` says which missing
 * values overrides may add.
 */
export function issuesOfGiven(
  operation: Operation,
  given: ActionParameters,
  maySupply: (group: keyof Overrides, name: string) => boolean,
  check: SchemaCheck,
): Issue[] {
  const values = valuesOf(operation, given, { own: NO_OVERRIDES, visitor: NO_OVERRIDES });
  const told = values.filter(({ parameter: { in: place, name }, value }) => {
    const group = GROUPS[place];
    return value !== undefined || group === 'cookies' || !maySupply(group, nameIn(group, name));
  });
  const type = requestBodyTypeOf(operation);
  const body = withoutReadOnly(bodyTypeOf(operation)?.schema, given.body_params);
  const required = [type?.schema?.required].flat().filter((name) => typeof name === 'string');
  const supplied = required.filter((name) => maySupply('body_params', name));
  const isBodySupplied = given.body_params === undefined && supplied.length > 0;
  return [
    ...issuesOfUnknownParameters(operation, given),
    ...told.flatMap((value) => issuesOfValue(value, check)),
    ...(isBodySupplied
      ? []
      : issuesOfBody(operation, type, body, (schema, value, path) =>
          check({ ...schema, required: required.filter((name) => !supplied.includes(name)) }, value, path),
        )),
  ];
}

function valuesOf({ payload }: Operation, given: ActionParameters, { own, visitor }: ValueSources): ParameterValue[] {
  const said = { ...given, headers: withLowerCaseNames(given.headers ?? {}) };
  return (payload.parameters ?? []).map((parameter) => {
    const group = GROUPS[parameter.in];
    const name = nameIn(group, parameter.name);
    const overrideOf = (from: Overrides) => (group === 'cookies' ? undefined : ownValue(from[group], name));
    const usual = parameter.in === 'path' ? parameter.schema?.default : undefined;
    const value = overrideOf(own) ?? ownValue(said[group] ?? {}, name) ?? usual ?? overrideOf(visitor);
    return { parameter, path: `${group}.${parameter.name}`, value: withoutReadOnly(parameter.schema, value) };
  });
}

const nameIn = (group: Group, name: string) => (group === 'headers' ? name.toLowerCase() : name);
const ownValue = (from: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(from, name) ? from[name] : undefined;

/** Returns an issue for each given value without a parameter of its name. */
function issuesOfUnknownParameters({ payload }: Operation, given: ActionParameters): Issue[] {
  return Object.values(GROUPS).flatMap((group) => {
    const known = new Set(
      (payload.parameters ?? []).filter((one) => GROUPS[one.in] === group).map(({ name }) => nameIn(group, name)),
    );
    return Object.keys(given[group] ?? {})
      .filter((name) => !known.has(nameIn(group, name)))
      .map((name) => ({ path: `${group}.${name}`, message: 'is no parameter of the action' }));
  });
}

function issuesOfValue(given: ParameterValue, check: SchemaCheck): Issue[] {
  const { parameter, path, value } = given;
  const { schema, required, in: place } = parameter;
  if (value === undefined) return required === true || place === 'path' ? [{ path, message: 'is required' }] : [];
  const issues = schema === undefined ? [] : check(requestSchemaOf(schema), coerce(value, schema), path);
  if (issues.length > 0) return issues;
  if (place === 'path' && !isSegment(given))
    return [{ path, message: 'must be one part of a path: not empty, . or .., and without / and \\' }];
  const problem = place === 'header' ? headerValueProblem(headerTextOf(given)) : undefined;
  return problem === undefined ? [] : [{ path, message: problem }];
}

const isSegment = (parameter: ParameterValue) =>
  !['', '.', '..'].includes(pathTextOf(parameter)) && !textsIn(parameter.value).some((text) => /[/\\]/.test(text));

function issuesOfOverrideHeaders({ headers }: Overrides): Issue[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = headerNameProblem(name) ?? headerValueProblem(value);
    return message === undefined ? [] : [{ path: `http_action_overrides.headers.${name}`, message }];
  });
}

/** Converts text to a number or boolean if the schema asks for one: values in paths, queries and overrides are text. */
function coerce(value: unknown, schema: JsonSchema | undefined): unknown {
  const types = [schema?.type].flat();
  if (typeof value !== 'string' || types.includes('string')) return value;
  if (types.includes('boolean') && (value === 'true' || value === 'false')) return value === 'true';
  const isNumber = types.includes('number') || types.includes('integer');
  return isNumber && String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}

/** Returns the type of a request's body. Its schema has no readOnly properties. */
function requestBodyTypeOf(operation: Operation): BodyType | undefined {
  const type = bodyTypeOf(operation);
  return type?.schema === undefined ? type : { ...type, schema: requestSchemaOf(type.schema) };
}

function bodyOf(operation: Operation, { body_params: body }: ActionParameters, sources: ValueSources): unknown {
  const type = bodyTypeOf(operation);
  return type === undefined ? body : withoutReadOnly(type.schema, withOverrides(type, body, sources));
}

function withOverrides(type: BodyType, given: unknown, { own, visitor }: ValueSources): unknown {
  if (Object.keys({ ...visitor.body_params, ...own.body_params }).length === 0) return given;
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given))) return given;
  return { ...coerceMembers(visitor.body_params, type), ...given, ...coerceMembers(own.body_params, type) };
}

function coerceMembers(members: Record<string, unknown>, { schema }: BodyType): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, coerce(value, propertyOf(schema, name))]),
  );
}

function issuesOfBody(operation: Operation, type: BodyType | undefined, body: unknown, check: SchemaCheck): Issue[] {
  const path = 'body_params';
  if (body === undefined)
    return operation.payload.requestBody?.required === true ? [{ path, message: 'is required' }] : [];
  if (type === undefined) return [{ path, message: 'the action has no body' }];
  const issues = issuesOfForm(type, body, path);
  if (issues.length > 0) return issues;
  return type.schema === undefined ? [] : check(type.schema, body, path);
}

/** Returns undefined if path parameters would change the number of path segments or the host. */
function urlOf({ api_endpoint }: Operation, values: ParameterValue[], sources: ValueSources): string | undefined {
  const inPath = new Map(
    values.filter(({ parameter }) => parameter.in === 'path').map((one) => [one.parameter.name, pathTextOf(one)]),
  );
  const url = URL.parse(withPathParameters(api_endpoint, (name) => inPath.get(name) ?? ''));
  const plain = URL.parse(withPathParameters(api_endpoint, () => 'x'));
  if (url === null || plain === null || url.host !== plain.host) return undefined;
  if (url.pathname.split('/').length !== plain.pathname.split('/').length) return undefined;
  url.search = searchOf(url, values, sources);
  url.hash = '';
  return url.href;
}

/** Returns the query: of the address, of the parameters, and of overrides for what neither names. */
function searchOf(url: URL, values: ParameterValue[], { own, visitor }: ValueSources): string {
  const queries = values.filter(({ parameter, value }) => parameter.in === 'query' && value !== undefined);
  const declared = new Set(queries.map(({ parameter }) => parameter.name));
  const others = Object.entries(own.query_params).filter(([name]) => !declared.has(name));
  const replaced = new Set([...declared, ...others.map(([name]) => name)]);
  const fixed = fixedPairsOf(url);
  const set = [...queries.flatMap(pairsOf), ...others.map(([name, text]) => pairOf(name, text))];
  const taken = new Set([...declared, ...[...set, ...fixed].map(({ name }) => name)].map(baseOf));
  const supplied = Object.entries(visitor.query_params).filter(([name]) => !taken.has(baseOf(name)));
  return [
    ...fixed.filter(({ name }) => !replaced.has(name)),
    ...set,
    ...supplied.map(([name, text]) => pairOf(name, text)),
  ]
    .map(({ text }) => text)
    .join('&');
}

/** Returns the pairs of an address's own query, as they are written there. */
const fixedPairsOf = ({ search }: URL): { name: string; text: string }[] =>
  search
    .slice(1)
    .split('&')
    .filter((text) => text !== '')
    .map((text) => ({ name: [...new URLSearchParams(text).keys()][0] ?? '', text }));

/** Returns the name without brackets: programs read `a[]`, `a[b]` and `a` into the same variable. */
const baseOf = (name: string): string => name.split('[')[0] ?? '';

const withDefaults = (headers: Record<string, string>, mediaType?: string): Record<string, string> => ({
  accept: 'application/json, */*',
  ...headers,
  ...(mediaType === undefined ? {} : { 'content-type': mediaType }),
});
