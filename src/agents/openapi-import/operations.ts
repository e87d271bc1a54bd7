import type { Issue } from '../../errors.ts';
import { isLocalReference, targetOf } from '../../json-pointers.rules.ts';
import { storable } from '../../providers/storable.rules.ts';
import { joinUrl } from '../../urls.rules.ts';
import { operationIdOf } from '../actions/operation-ids.rules.ts';
import { createResolver, UnresolvedReference } from '../actions/references.rules.ts';
import { namedAsReferred } from '../actions/resolved-operations.rules.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const MAX_VALUES_PER_OPERATION = 20_000;
const MAX_VALUES = 500_000;
const MAX_NAME_LENGTH = 255;
const MAX_ID_LENGTH = 128;
const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 100;

type Node = Record<string, unknown>;
type Resolve = (part: unknown) => unknown;

/** An operation of a document as an action, not yet validated. */
export interface DocumentedOperation {
  /** Its location in the document. */
  path: string;
  action: Node;
}

/**
 * Returns the operations of an OpenAPI document (3.0, 3.1) with their references resolved, and the problems of the
 * others.
 */
export function operationsOf(document: Node): { operations: DocumentedOperation[]; problems: Issue[] } {
  const problem = problemOfDocument(document);
  if (problem !== undefined) return { operations: [], problems: [problem] };
  const resolve = createResolver(document, { maxValues: MAX_VALUES_PER_OPERATION, budget: MAX_VALUES });
  const operations: DocumentedOperation[] = [];
  const problems: Issue[] = [];
  for (const [route, written] of Object.entries(document.paths as Node)) {
    const item = shallow(document, written);
    if (typeof asNode(item).$ref === 'string' || (item === undefined && written !== undefined)) {
      problems.push({ path: `paths.${route}`, message: 'refers to a path that is not in the document' });
      continue;
    }
    for (const method of METHODS) {
      if (!isNode(item) || item[method] === undefined) continue;
      const path = `paths.${route}.${method}`;
      try {
        operations.push({ path, action: actionOf(document, { route, method, item }, resolve) });
      } catch (error) {
        if (!(error instanceof UnresolvedReference)) throw error;
        problems.push({ path, message: error.message });
      }
    }
  }
  return { operations, problems };
}

function problemOfDocument({ openapi, swagger, paths }: Node): Issue | undefined {
  if (swagger !== undefined)
    return { path: 'swagger', message: 'is OpenAPI 2: convert the document to OpenAPI 3 first' };
  if (typeof openapi !== 'string' || !/^3\.[01]\./.test(openapi))
    return { path: 'openapi', message: 'must be the version of OpenAPI, 3.0.x or 3.1.x' };
  return isNode(paths) ? undefined : { path: 'paths', message: 'must be there, with the operations' };
}

function actionOf(
  document: Node,
  { route, method, item }: { route: string; method: string; item: Node },
  resolve: Resolve,
): Node {
  const { parameters, requestBody, responses, operationId, summary, description, servers, tags } = asNode(item[method]);
  const base_url = serverOf([servers, item.servers, document.servers]);
  const name = text(summary) ?? text(operationId) ?? `${method.toUpperCase()} ${route}`;
  const payload = {
    base_url,
    path: route,
    method,
    operationId: text(operationId),
    summary: text(summary),
    description: text(description),
    parameters: parametersOf(asList(resolve(item.parameters)), asList(resolve(parameters))),
    requestBody: requestBody === undefined ? undefined : bodyOf(document, requestBody, resolve),
    responses: responsesOf(responses, resolve),
  };
  return {
    name: name.slice(0, MAX_NAME_LENGTH),
    description: text(description) ?? text(summary) ?? null,
    api_endpoint: joinUrl(base_url, route),
    request_type: method.toUpperCase(),
    operation_id: text(operationId) ?? operationIdOf(`${method} ${route}`).slice(0, MAX_ID_LENGTH),
    payload: Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined)),
    tags: asList(tags)
      .flatMap((tag) => (typeof tag === 'string' && tag !== '' ? tag.slice(0, MAX_TAG_LENGTH) : []))
      .slice(0, MAX_TAGS),
  };
}

/** Resolves a body. The root element of an XML document has the name of the schema that is referred to. */
function bodyOf(document: Node, requestBody: unknown, resolve: Resolve): unknown {
  const resolved = resolve(requestBody);
  if (!isNode(resolved) || !isNode(resolved.content)) return resolved;
  const written = asNode(asNode(shallow(document, requestBody)).content);
  const content = Object.entries(resolved.content).map(([type, described]) => {
    const { schema } = asNode(shallow(document, written[type]));
    return [
      type,
      isNode(described) && isNode(described.schema)
        ? { ...described, schema: namedAsReferred(type, schema, described.schema) }
        : described,
    ];
  });
  return { ...resolved, content: Object.fromEntries(content) };
}

/** Returns what a reference leads to, or the value itself. */
function shallow(document: Node, value: unknown): unknown {
  const { $ref } = asNode(value);
  return typeof $ref === 'string' && isLocalReference($ref) ? targetOf(document, $ref) : value;
}

/** Merges parameters: the operation's own take precedence over those of its path. */
function parametersOf(ofPath: unknown[], own: unknown[]): unknown[] {
  const key = (parameter: unknown) => JSON.stringify([asNode(parameter).in, asNode(parameter).name]);
  const named = new Set(own.map(key));
  return [...own, ...ofPath.filter((parameter) => !named.has(key(parameter)))];
}

/** Returns only the description of each status: the content of a response is not needed for a call. */
function responsesOf(responses: unknown, resolve: Resolve): Node | undefined {
  if (!isNode(responses)) return undefined;
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { description } = asNode(resolve(withoutContent(response)));
      return [status, typeof description === 'string' ? { description } : {}];
    }),
  );
}

const withoutContent = (response: unknown) => {
  const { $ref, description } = asNode(response);
  return $ref === undefined ? { description } : { $ref };
};

/** Returns the URL of the first server, with its variables at their defaults. */
function serverOf(lists: unknown[]): string {
  const { url, variables } = asNode(lists.map(asList).find((list) => list.length > 0)?.[0]);
  return (text(url) ?? '').replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(asNode(variables), name) ? asNode(asNode(variables)[name]) : {};
    return text(variable.default) ?? whole;
  });
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const asNode = (value: unknown): Node => (isNode(value) ? value : {});
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? storable(value) : undefined;
