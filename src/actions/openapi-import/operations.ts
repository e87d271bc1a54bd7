import { type DocumentObject, followInDocument, InvalidDocument } from '../../documents/openapi.ts';
import type { Issue } from '../../errors.ts';
import { storable } from '../../providers/storable.rules.ts';
import { joinUrl } from '../../text/urls.rules.ts';
import { operationIdOf } from '../definitions/operation-ids.rules.ts';
import { createResolver, UnresolvedReference } from '../definitions/references.rules.ts';
import { namedAsReferred } from '../definitions/resolved-operations.rules.ts';
import { objectOf } from '../definitions/schema-parts.rules.ts';
import { LongAddress, urlOfServer } from './servers.rules.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const MAX_OPERATIONS = 500;
/** An action has at most 64 KB, whose copying as an operation and as an action is all that is done with it. */
const BOUNDS = { maxValues: 20_000, total: { maxValues: 500_000, maxCharacters: 8_000_000 } };
const MAX_NAME_LENGTH = 255;
const MAX_ID_LENGTH = 128;
const MAX_TAGS = 50;
const MAX_TAG_LENGTH = 100;

type Node = DocumentObject;
type Resolve = (part: unknown) => unknown;

/** A place of an operation in a document. */
interface LocatedOperation {
  route: string;
  method: string;
  item: Node;
}

/** An operation of a document as an action, not yet validated. */
export interface DocumentedOperation {
  /** Its location in the document. */
  path: string;
  action: Node;
}

/**
 * Returns the operations of an OpenAPI document (3.0, 3.1) with their references resolved, and the problems of the
 * others. Those of a document with too many are counted, and not read.
 */
export function operationsOf(document: Node): { operations: DocumentedOperation[]; problems: Issue[] } {
  const problem = problemOfDocument(document);
  if (problem !== undefined) return { operations: [], problems: [problem] };
  const { located, problems } = locateOperations(document);
  if (located.length > MAX_OPERATIONS) {
    const message = `must have at most ${MAX_OPERATIONS} operations: import them in parts`;
    return { operations: [], problems: [{ path: 'paths', message }] };
  }
  const resolve = createResolver(document, BOUNDS);
  const operations: DocumentedOperation[] = [];
  for (const operation of located) {
    const path = `paths.${operation.route}.${operation.method}`;
    try {
      operations.push({ path, action: actionOf(document, operation, resolve) });
    } catch (error) {
      if (error instanceof LongAddress) problems.push({ path: `${path}.servers`, message: error.message });
      else if (error instanceof UnresolvedReference) problems.push({ path, message: error.message });
      else throw error;
    }
  }
  return { operations, problems };
}

function locateOperations(document: Node): { located: LocatedOperation[]; problems: Issue[] } {
  const located: LocatedOperation[] = [];
  const problems: Issue[] = [];
  for (const [route, written] of Object.entries(objectOf(document.paths) ?? {})) {
    const item = itemOf(document, written);
    if (typeof item === 'string') problems.push({ path: `paths.${route}`, message: item });
    else
      located.push(
        ...METHODS.filter((method) => item[method] !== undefined).map((method) => ({ route, method, item })),
      );
  }
  return { located, problems };
}

/** Returns the item of a path, or its problem. */
function itemOf(document: Node, written: unknown): Node | string {
  try {
    const item = followInDocument(document, written);
    return item === undefined ? 'refers to a path that is not in the document' : asNode(item);
  } catch (error) {
    if (error instanceof InvalidDocument) return error.message;
    throw error;
  }
}

function problemOfDocument({ openapi, swagger, paths }: Node): Issue | undefined {
  if (swagger !== undefined)
    return { path: 'swagger', message: 'is OpenAPI 2: convert the document to OpenAPI 3 first' };
  if (typeof openapi !== 'string' || !/^3\.[01]\./.test(openapi))
    return { path: 'openapi', message: 'must be the version of OpenAPI, 3.0.x or 3.1.x' };
  return isNode(paths) ? undefined : { path: 'paths', message: 'must be there, with the operations' };
}

function actionOf(document: Node, { route, method, item }: LocatedOperation, resolve: Resolve): Node {
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
  const written = asNode(asNode(followInDocument(document, requestBody)).content);
  const content = Object.entries(resolved.content).map(([type, described]) => {
    const { schema } = asNode(followInDocument(document, written[type]));
    return [
      type,
      isNode(described) && isNode(described.schema)
        ? { ...described, schema: namedAsReferred(type, schema, described.schema) }
        : described,
    ];
  });
  return { ...resolved, content: Object.fromEntries(content) };
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

/** Returns the URL of the first server. Throws LongAddress. */
const serverOf = (lists: unknown[]): string =>
  urlOfServer(asNode(lists.map(asList).find((list) => list.length > 0)?.[0]));

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const asNode = (value: unknown): Node => (isNode(value) ? value : {});
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? storable(value) : undefined;
