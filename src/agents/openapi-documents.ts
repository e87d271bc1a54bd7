import { CORE_SCHEMA, load } from 'js-yaml';
import { invalid } from '../errors.ts';

const MAX_DEPTH = 64;

/** What a document of JSON or YAML holds. Aliases of YAML are not copied. Throws invalid that says where it cannot be read. */
export function readDocument(text: string): Record<string, unknown> {
  const bare = text.replace(/^\ufeff/, '').trim();
  const value = bare.startsWith('{') ? readJson(bare) : readYaml(bare);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refusal('must be an OpenAPI 3 document');
  return value as Record<string, unknown>;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return readYaml(text); // of which JSON is a part, and which says where it goes wrong
  }
}

function readYaml(text: string): unknown {
  try {
    return load(text, { schema: CORE_SCHEMA, maxDepth: MAX_DEPTH });
  } catch (error) {
    throw refusal(`is neither JSON nor YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

const refusal = (message: string) => invalid(`The file ${message}`, [{ path: 'body.file', message }]);
