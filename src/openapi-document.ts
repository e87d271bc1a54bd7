import { CORE_SCHEMA, load } from 'js-yaml';
import { messageOf } from './errors.ts';

const MAX_DEPTH = 64;

/** An OpenAPI document, or an object in it. */
export type DocumentObject = Record<string, unknown>;

/** A text that is no document. The message continues a sentence about it: "is neither JSON nor YAML: …". */
export class InvalidDocument extends Error {}

/**
 * Parses a JSON or YAML document. YAML aliases are not copied. Throws InvalidDocument with the position of a syntax
 * error.
 */
export function parseDocument(text: string): DocumentObject {
  const bare = text.replace(/^\ufeff/, '').trim();
  const value = bare.startsWith('{') ? parseJson(bare) : parseYaml(bare);
  if (!isObject(value)) throw new InvalidDocument('must be an OpenAPI 3 document');
  return value;
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
    return load(text, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH });
  } catch (error) {
    throw new InvalidDocument(`is neither JSON nor YAML: ${messageOf(error).split('\n')[0]}`);
  }
}

const isObject = (value: unknown): value is DocumentObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
