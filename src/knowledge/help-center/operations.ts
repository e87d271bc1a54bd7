import { refused } from '../../errors.ts';
import { isLocalReference, targetOf } from '../../json-pointers.rules.ts';
import { type DocumentObject, InvalidDocument, parseDocument } from '../../openapi-document.ts';

/** An operation of an API, as searchable text. */
export interface Operation {
  /** Its method and path, such as `POST /refunds`. */
  path: string;
  title: string;
  markdown: string;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const MAX_OPERATIONS = 2_000;
const MAX_PATH = 500;
const MAX_LINES = 200;
const MAX_VALUES = 20;
const MAX_FIELD_DEPTH = 4;
const MAX_TEXT = 8_000;

type Json = DocumentObject;

/** Returns the operations of an OpenAPI 3 document. Throws invalid with the document's problem. */
export function operationsOf(specification: string): Operation[] {
  const document = readDocument(specification);
  if (!/^3\./.test(textOf(document.openapi))) throw refusal('must be an OpenAPI 3 document: it has no `openapi: 3.…`');
  const operations = Object.entries(objectOf(document.paths)).flatMap(([path, raw]) => {
    const item = resolve(document, raw);
    return METHODS.filter((method) => Object.hasOwn(item, method)).map((method) =>
      operationOf(document, item, { method, path }),
    );
  });
  if (operations.length > MAX_OPERATIONS) throw refusal(`must have at most ${MAX_OPERATIONS} operations`);
  return [...new Map(operations.map((operation) => [operation.path, operation])).values()];
}

function readDocument(text: string): Json {
  try {
    return parseDocument(text);
  } catch (error) {
    throw error instanceof InvalidDocument ? refusal(error.message) : error;
  }
}

function operationOf(document: Json, item: Json, { method, path }: { method: string; path: string }): Operation {
  const operation = objectOf(item[method]);
  const name = `${method.toUpperCase()} ${clean(path)}`;
  if (name.length > MAX_PATH) throw refusal(`has a path of more than ${MAX_PATH} characters`);
  const summary = oneLine(operation.summary) || oneLine(operation.operationId);
  const parts = [
    clean(textOf(operation.description)),
    section('Parameters', parameterLines(document, [...listOf(item.parameters), ...listOf(operation.parameters)])),
    section('Request body', bodyLines(document, resolve(document, operation.requestBody))),
    section('Responses', responseLines(document, objectOf(operation.responses))),
  ];
  return {
    path: name,
    title: (summary === '' ? name : `${summary} (${name})`).slice(0, MAX_PATH).toWellFormed(),
    markdown: [`\`${name}\``, ...parts.filter((part) => part !== '')].join('\n\n').slice(0, MAX_TEXT).toWellFormed(),
  };
}

const section = (title: string, lines: string[]) => (lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`);

const parameterLines = (document: Json, parameters: unknown[]) =>
  parameters.slice(0, MAX_LINES).map((raw) => {
    const { name, in: place, required, description, schema } = resolve(document, raw);
    const facts = [oneLine(place), typeOf(resolve(document, schema)), required === true ? 'required' : ''];
    return fieldLine(0, oneLine(name), facts, description);
  });

const responseLines = (document: Json, responses: Json) =>
  Object.entries(responses)
    .slice(0, MAX_LINES)
    .map(([status, raw]) => fieldLine(0, clean(status), [], resolve(document, raw).description));

function bodyLines(document: Json, body: Json): string[] {
  const [first] = Object.values(objectOf(body.content));
  const lines: string[] = [];
  addFields(document, resolve(document, objectOf(first).schema), 0, lines);
  return lines;
}

/**
 * Adds a line for each field of a schema, with nested fields below. Depth is limited, because schemas may contain
 * themselves.
 */
function addFields(document: Json, schema: Json, depth: number, lines: string[]): void {
  if (depth >= MAX_FIELD_DEPTH) return;
  const parts = [
    schema,
    ...listOf(schema.allOf)
      .slice(0, MAX_LINES)
      .map((raw) => resolve(document, raw)),
  ];
  for (const part of parts) {
    for (const [name, raw] of Object.entries(objectOf(part.properties))) {
      if (lines.length >= MAX_LINES) return;
      const field = resolve(document, raw);
      const isRequired = listOf(part.required).includes(name);
      lines.push(fieldLine(depth, clean(name), [typeOf(field), isRequired ? 'required' : ''], field.description));
      addFields(document, field.type === 'array' ? resolve(document, field.items) : field, depth + 1, lines);
    }
  }
}

function fieldLine(depth: number, name: string, facts: string[], description: unknown): string {
  const said = facts.filter((fact) => fact !== '').join(', ');
  const meaning = oneLine(description);
  return `${'  '.repeat(depth)}- \`${name}\`${said === '' ? '' : ` (${said})`}${meaning === '' ? '' : `: ${meaning}`}`;
}

const typeOf = ({ type, format, enum: values }: Json) =>
  [
    [type].flat().map(oneLine).join(' or '),
    oneLine(format),
    listOf(values).slice(0, MAX_VALUES).map(oneLine).join(' | '),
  ]
    .filter((text) => text !== '')
    .join(' ');

/** Resolves a local reference, following further ones up to a limit. */
function resolve(document: Json, value: unknown, left = 5): Json {
  const object = objectOf(value);
  const { $ref } = object;
  return typeof $ref === 'string' && isLocalReference($ref) && left > 0
    ? resolve(document, targetOf(document, $ref), left - 1)
    : object;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const oneLine = (value: unknown): string => clean(textOf(value)).replace(/\s+/g, ' ').trim();
/** Removes characters unsupported by database columns. */
const clean = (text: string): string => text.replace(/[^\P{Cc}\t\n\r]/gu, '').toWellFormed();
const refusal = (message: string) => refused('openapi_spec', message);
