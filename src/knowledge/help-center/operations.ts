import { hash } from 'node:crypto';
import {
  type DocumentObject,
  type DocumentResult,
  followInDocument,
  InvalidDocument,
  parseDocument,
  resultOf,
} from '../../documents/openapi.ts';

/** An operation of an API, as searchable text. */
export interface Operation {
  /** Its method and path, such as `POST /refunds`. */
  path: string;
  title: string;
  markdown: string;
  /** Changes with the title and the text. */
  hash: string;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const MAX_OPERATIONS = 2_000;
const MAX_PATH = 500;
const MAX_LINES = 200;
const MAX_VALUES = 20;
const MAX_FIELD_DEPTH = 4;
const MAX_TEXT = 8_000;

type Json = DocumentObject;

/** A place of an operation in a document. */
interface LocatedOperation {
  path: string;
  method: string;
  item: Json;
}

/** The lines of a section. No more are added to a full one: the text is cut behind it. */
interface Lines {
  texts: string[];
  characters: number;
}

/** Reads the operations of an OpenAPI 3 document. Time and memory depend on the document and are not limited here. */
export const readOperations = (specification: string): DocumentResult<Operation[]> =>
  resultOf(() => operationsOf(specification));

/** Throws InvalidDocument. Operations are counted before any is rendered. */
function operationsOf(specification: string): Operation[] {
  const document = parseDocument(specification);
  if (!/^3\./.test(textOf(document.openapi)))
    throw new InvalidDocument('must be an OpenAPI 3 document: it has no `openapi: 3.…`');
  const operations = locateOperations(document).map((located) => operationOf(document, located));
  return [...new Map(operations.map((operation) => [operation.path, operation])).values()];
}

function locateOperations(document: Json): LocatedOperation[] {
  const located: LocatedOperation[] = [];
  for (const [path, raw] of Object.entries(objectOf(document.paths))) {
    const item = resolve(document, raw);
    const methods = METHODS.filter((method) => Object.hasOwn(item, method));
    located.push(...methods.map((method) => ({ path, method, item })));
    if (located.length > MAX_OPERATIONS) throw new InvalidDocument(`must have at most ${MAX_OPERATIONS} operations`);
  }
  return located;
}

function operationOf(document: Json, { path, method, item }: LocatedOperation): Operation {
  if (path.length > MAX_PATH) throw new InvalidDocument(`has a path of more than ${MAX_PATH} characters`);
  const operation = objectOf(item[method]);
  const name = `${method.toUpperCase()} ${clean(path)}`;
  if (name.length > MAX_PATH) throw new InvalidDocument(`has a path of more than ${MAX_PATH} characters`);
  const summary = oneLine(operation.summary) || oneLine(operation.operationId);
  const parts = [
    clean(textOf(operation.description)),
    section('Parameters', parameterLines(document, [...listOf(item.parameters), ...listOf(operation.parameters)])),
    section('Request body', bodyLines(document, resolve(document, operation.requestBody))),
    section('Responses', responseLines(document, objectOf(operation.responses))),
  ];
  const title = (summary === '' ? name : `${summary} (${name})`).slice(0, MAX_PATH).toWellFormed();
  const markdown = [`\`${name}\``, ...parts.filter((part) => part !== '')]
    .join('\n\n')
    .slice(0, MAX_TEXT)
    .toWellFormed();
  return { path: name, title, markdown, hash: hash('sha256', JSON.stringify([title, markdown])) };
}

const section = (title: string, { texts }: Lines) => (texts.length === 0 ? '' : `## ${title}\n\n${texts.join('\n')}`);

const newLines = (): Lines => ({ texts: [], characters: 0 });
const isFull = ({ texts, characters }: Lines) => texts.length >= MAX_LINES || characters >= MAX_TEXT;

function addLine(lines: Lines, text: string): void {
  lines.texts.push(text);
  lines.characters += text.length;
}

/** Returns a line for each item, until the section is full. */
function linesOf<Item>(items: Iterable<Item>, lineOf: (item: Item) => string): Lines {
  const lines = newLines();
  for (const item of items) {
    if (isFull(lines)) break;
    addLine(lines, lineOf(item));
  }
  return lines;
}

const parameterLines = (document: Json, parameters: unknown[]) =>
  linesOf(parameters, (raw) => {
    const { name, in: place, required, description, schema } = resolve(document, raw);
    const facts = [oneLine(place), typeOf(resolve(document, schema)), required === true ? 'required' : ''];
    return fieldLine(0, oneLine(name), facts, description);
  });

const responseLines = (document: Json, responses: Json) =>
  linesOf(Object.entries(responses), ([status, raw]) =>
    fieldLine(0, oneLine(status), [], resolve(document, raw).description),
  );

function bodyLines(document: Json, body: Json): Lines {
  const [first] = Object.values(objectOf(body.content));
  const lines = newLines();
  addFields(document, resolve(document, objectOf(first).schema), 0, lines);
  return lines;
}

/**
 * Adds a line for each field of a schema, with nested fields below. Depth is limited, because schemas may contain
 * themselves.
 */
function addFields(document: Json, schema: Json, depth: number, lines: Lines): void {
  if (depth >= MAX_FIELD_DEPTH) return;
  for (const part of [schema, ...listOf(schema.allOf).slice(0, MAX_LINES)]) {
    if (isFull(lines)) return;
    const { properties, required } = resolve(document, part);
    for (const [name, raw] of Object.entries(objectOf(properties))) {
      if (isFull(lines)) return;
      const field = resolve(document, raw);
      const facts = [typeOf(field), listOf(required).includes(name) ? 'required' : ''];
      addLine(lines, fieldLine(depth, oneLine(name), facts, field.description));
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
    [type].flat().slice(0, MAX_VALUES).map(oneLine).join(' or '),
    oneLine(format),
    listOf(values).slice(0, MAX_VALUES).map(oneLine).join(' | '),
  ]
    .filter((text) => text !== '')
    .join(' ');

const resolve = (document: Json, value: unknown): Json => objectOf(followInDocument(document, value));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Returns a text as far as an operation can show it: the rest of a long one costs nothing. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : '');
const oneLine = (value: unknown): string => clean(textOf(value)).replace(/\s+/g, ' ').trim();
/** Removes characters unsupported by database columns. */
const clean = (text: string): string => text.replace(/[^\P{Cc}\t\n\r]/gu, '').toWellFormed();
