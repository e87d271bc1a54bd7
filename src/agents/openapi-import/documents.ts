import { CORE_SCHEMA, load } from 'js-yaml';
import { invalid } from '../../errors.ts';

const MAX_DEPTH = 64;

/** Parses a JSON or YAML document. YAML aliases are not copied. Throws invalid with the position of a syntax error. */
export function parseDocument(text: string): Record<string, unknown> {
  const bare = text.replace(/^\ufeff/, '').trim();
  const value = bare.startsWith('{') ? parseJson(bare) : parseYaml(bare);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fileError('must be an OpenAPI 3 document');
  return value as Record<string, unknown>;
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
    throw fileError(`is neither JSON nor YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

const fileError = (message: string) => invalid(`The file ${message}`, [{ path: 'body.file', message }]);
