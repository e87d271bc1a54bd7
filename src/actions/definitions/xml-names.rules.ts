import type { JsonSchema } from './schema.ts';
import { objectOf } from './schema-parts.rules.ts';

/** A name that is valid in XML 1.0, with at most one prefix. */
const NAME = /^[\p{L}_][\p{L}\p{N}_.-]*(?::[\p{L}_][\p{L}\p{N}_.-]*)?$/u;

/** OpenAPI's description of a schema in XML. */
export interface XmlHints {
  name?: unknown;
  namespace?: unknown;
  prefix?: unknown;
  attribute?: unknown;
  wrapped?: unknown;
}

export const hintsOf = (schema: JsonSchema | undefined): XmlHints => objectOf(schema?.xml) ?? {};

/** Whether a text can be the name of an element or an attribute. */
export const isName = (text: string): boolean => NAME.test(text);

export const validName = (name: unknown): string | undefined =>
  typeof name === 'string' && isName(name) ? name : undefined;

/** Returns the name of a document's root element, or undefined if its schema has none. */
export const rootNameOf = (schema: JsonSchema | undefined): string | undefined => validName(hintsOf(schema).name);
