import { isRecord } from '../../collections/records.ts';
import { storable, storableJson, truncated } from '../../providers/storable.rules.ts';
import { operationIdOf } from '../definitions/operation-ids.rules.ts';
import { problemsOf } from '../definitions/operations.rules.ts';
import type { ActionPayload, ConfirmWhen } from '../definitions/schema.ts';

const MAX_TOOLS = 200;
const MAX_TOOL_NAME = 128;
const MAX_SCHEMA_CHARACTERS = 64 * 1_024;
/** Schemas within schemas. Each is two levels of JSON: its keyword, and its name. */
const MAX_SCHEMA_DEPTH = 10;
const MAX_NAME = 100;
const MAX_DESCRIPTION = 1_000;
const MAX_SCHEMA_TEXT = 300;
const MAX_OPERATION_ID = 60;
/** Keywords of schemas with sentences, which models read. */
const TEXT_KEYWORDS = new Set(['description', 'title']);
/** Keywords of schemas that no call needs. */
const LEFT_OUT_KEYWORDS = new Set(['$comment', 'examples', 'example']);
/** Keywords whose members have names that the server has chosen. */
const NAMED_KEYWORDS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
/** Keywords with values, not schemas. */
const VALUE_KEYWORDS = new Set(['enum', 'const', 'default', 'required', 'type']);

/** What a person accepts of a tool: all that says what it does and takes. */
export type ToolDefinition = {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
};

/** A tool as its server describes it. */
type ListedTool = Pick<ToolDefinition, 'name'> & {
  [Key in Exclude<keyof ToolDefinition, 'name'>]?: unknown;
} & { execution?: { taskSupport?: string | undefined } | undefined };

/** Returns the definition of a tool, in a form that the database stores. */
export function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool) {
  const parts = { name, title, description, inputSchema, outputSchema, annotations };
  return storableJson(
    Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)),
  ) as ToolDefinition;
}

/** Returns why a server's list cannot be taken at all, or undefined. */
export function problemOfList(tools: readonly ListedTool[]): string | undefined {
  if (tools.length > MAX_TOOLS) return `lists ${tools.length} tools, and ${MAX_TOOLS} are the most`;
  const names = new Set<string>();
  for (const { name, inputSchema, outputSchema } of tools) {
    const shown = oneLine(name, MAX_NAME);
    if (name === '' || name.length > MAX_TOOL_NAME || storable(name) !== name)
      return `names a tool "${shown}": 1 to ${MAX_TOOL_NAME} characters without NUL are taken`;
    if (names.has(name)) return `lists the tool "${shown}" twice`;
    names.add(name);
    for (const schema of [inputSchema, outputSchema]) {
      if (depthOf(schema) > 2 * MAX_SCHEMA_DEPTH)
        return `nests the schema of "${shown}" deeper than ${MAX_SCHEMA_DEPTH} levels`;
      if (JSON.stringify(schema ?? null).length > MAX_SCHEMA_CHARACTERS)
        return `gives "${shown}" a schema of more than ${MAX_SCHEMA_CHARACTERS} characters`;
    }
  }
  return undefined;
}

/** Returns why a tool cannot be called as it is listed, or undefined. */
export function problemOfTool({ inputSchema, execution, name }: ListedTool, url: string): string | undefined {
  if (execution?.taskSupport === 'required') return 'It runs as a task of the protocol, which is not supported';
  if (hasKey(inputSchema, 'x-mcp-header')) return 'It asks for arguments in headers (x-mcp-header), which are not sent';
  const [problem] = problemsOf({ api_endpoint: url, request_type: 'POST', payload: payloadOf(name, inputSchema) });
  return problem && `${problem.path}: ${problem.message}`;
}

/** What an action shows of an accepted definition. */
export interface ToolFields {
  name: string;
  description: string;
  payload: ActionPayload;
}

/**
 * Returns a definition as the action that models are offered. The server's sentences are data: each is in one line, of a
 * bounded length, and without characters that nobody sees.
 */
export function actionFieldsOf({ name, title, description, annotations, inputSchema }: ToolDefinition): ToolFields {
  const shown = [title, annotations?.title, name].find(
    (text) => typeof text === 'string' && oneLine(text, MAX_NAME) !== '',
  );
  return {
    name: typeof shown === 'string' ? oneLine(shown, MAX_NAME) : 'Tool',
    description: oneLine(description ?? '', MAX_DESCRIPTION),
    payload: payloadOf(name, inputSchema),
  };
}

/** What a server says of a tool is no proof. It only proposes that nobody need confirm each call of one that reads. */
export const confirmProposedBy = ({ annotations }: ToolDefinition): ConfirmWhen =>
  annotations?.readOnlyHint === true ? 'auto' : 'always';

/** Returns the operation id that a tool gets if it is free. */
export const operationIdOfTool = (server: string, tool: string): string =>
  operationIdOf(`${server} ${tool}`).slice(0, MAX_OPERATION_ID);

/** Returns the names of what differs between two definitions. */
export const changedParts = (was: ToolDefinition, is: ToolDefinition): (keyof ToolDefinition)[] =>
  (['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const).filter(
    (part) => JSON.stringify(was[part]) !== JSON.stringify(is[part]),
  );

function payloadOf(tool: string, inputSchema: unknown): ActionPayload {
  const schema = shownSchema(isRecord(inputSchema) ? inputSchema : { type: 'object' });
  const isRequired = Array.isArray(schema.required) && schema.required.length > 0;
  return {
    operationId: oneLine(tool, MAX_NAME),
    requestBody: { required: isRequired, content: { 'application/json': { schema } } },
  };
}

/** Returns a schema whose sentences are short and plain. What a value must be stays as it is. */
function shownSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const partOf = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(partOf);
    return isRecord(value) ? shownSchema(value) : value;
  };
  const members = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (LEFT_OUT_KEYWORDS.has(key)) return [];
    if (TEXT_KEYWORDS.has(key) && typeof value === 'string') return [[key, oneLine(value, MAX_SCHEMA_TEXT)]];
    if (VALUE_KEYWORDS.has(key)) return [[key, value]];
    if (NAMED_KEYWORDS.has(key) && isRecord(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, inside]) => [name, partOf(inside)]))]];
    return [[key, partOf(value)]];
  });
  return Object.fromEntries(members);
}

/** Returns a text in one line, without control, format and unassigned characters, which can hide text from people. */
export const oneLine = (text: string, maxLength: number): string =>
  truncated(text.replaceAll(/[\s\p{C}]+/gu, ' ').trim(), maxLength);

function depthOf(value: unknown): number {
  let depth = 0;
  let level: unknown[] = [value];
  while (level.length > 0 && depth <= 2 * MAX_SCHEMA_DEPTH + 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    depth++;
  }
  return depth - 1;
}

function hasKey(value: unknown, key: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, key) || Object.values(value).some((inside) => hasKey(inside, key));
}
