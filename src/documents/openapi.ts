import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { messageOf } from '../errors.ts';
import { followLinks, isLocalReference, TooManyLinks, targetOf } from './json-pointers.rules.ts';

const MAX_DEPTH = 64;
/** The most values of a document: members of objects and items of lists. */
const MAX_VALUES = 50_000;
/** Without the tag, a merge key (`<<`) would be a property of this name. */
const YAML_SCHEMA = CORE_SCHEMA.withTags(mergeTag);

/** An OpenAPI document, or an object in it. */
export type DocumentObject = Record<string, unknown>;

/** A text that is no document, or one beyond a bound. The message continues a sentence about it: "is neither JSON nor YAML: …". */
export class InvalidDocument extends Error {}

/** What a thread answers about a document: what it has read, or why it cannot be read. */
export type DocumentResult<Read> = { read: Read } | { problem: string };

/** Reads a document for an answer to another thread, which would not know the class of an error. */
export function resultOf<Read>(read: () => Read): DocumentResult<Read> {
  try {
    return { read: read() };
  } catch (error) {
    if (error instanceof InvalidDocument) return { problem: error.message };
    throw error;
  }
}

/**
 * Parses a JSON or YAML document of at most 50,000 values. YAML aliases are not copied. Throws InvalidDocument with the
 * position of a syntax error.
 */
export function parseDocument(text: string): DocumentObject {
  const bare = text.replace(/^\ufeff/, '').trim();
  const value = bare.startsWith('{') ? parseJson(bare) : parseYaml(bare);
  if (!isObject(value)) throw new InvalidDocument('must be an OpenAPI 3 document');
  if (hasMoreValues(value, MAX_VALUES))
    throw new InvalidDocument(`must have at most ${MAX_VALUES} values: leave parts out, such as examples`);
  return value;
}

/**
 * Returns what a value's local references lead to, or the value itself. Undefined: they lead nowhere. Throws
 * InvalidDocument for more than 64 in a row.
 */
export function followInDocument(document: DocumentObject, value: unknown): unknown {
  try {
    return followLinks(value, (reference) => (isLocalReference(reference) ? targetOf(document, reference) : undefined));
  } catch (error) {
    throw error instanceof TooManyLinks ? new InvalidDocument(error.message) : error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text); // YAML includes JSON, and its parser reports the position of an error
  }
}

function parseYaml(text: string): unknown {
  try {
    return load(text, { schema: YAML_SCHEMA, maxDepth: MAX_DEPTH });
  } catch (error) {
    throw new InvalidDocument(`is neither JSON nor YAML: ${messageOf(error).split('\n')[0]}`);
  }
}

/** Whether there are more values than this in an object. What stands in several places, by YAML aliases, counts once. */
function hasMoreValues(root: object, most: number): boolean {
  const seen = new Set([root]);
  const waiting: object[] = [root];
  let values = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const inside = Object.values(next);
    values += inside.length;
    if (values > most) return true;
    for (const value of inside) {
      if (typeof value !== 'object' || value === null || seen.has(value)) continue;
      seen.add(value);
      waiting.push(value);
    }
  }
  return false;
}

const isObject = (value: unknown): value is DocumentObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
