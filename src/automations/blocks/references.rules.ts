import { countValues } from '../../documents/json-text.rules.ts';
import type { Json } from './schema.ts';
import { urlWithValues } from './url-references.rules.ts';

/**
 * Matches `{{step_id.output.field}}` and `{{step_id.field}}`. Spaces are part of the inner text: a pattern matching
 * them separately took minutes on hostile input.
 */
const REFERENCE = /\{\{([^{}]{1,500})\}\}/g;
const WHOLE_REFERENCE = /^\{\{([^{}]{1,500})\}\}$/;
const MAX_DEPTH = 64;
/**
 * Maximum size of all values inserted into one value, as JSON. There may be thousands of references, each to a
 * megabyte.
 */
const MAX_CHARACTERS = 2_000_000;
/** Maximum number of values in the input of a step: each costs as much time as a long text. */
export const MAX_INPUT_VALUES = 10_000;

/** A step id, or `trigger`, and a path in its output. */
export interface Reference {
  step: string;
  path: string[];
}

/** Outputs of steps by id. Steps without a run so far are missing. */
export type OutputsById = ReadonlyMap<string, Json>;

/** Writes a value for its place in a text. */
export type Encoding = (text: string) => string;

/** Returns the encoding of values within a text, by its key and the object that it is in. undefined: as they are. */
export type EncodingAt = (key: string, holder: { [key: string]: Json }) => Encoding | undefined;

/** Where values are encoded: in the fields named by `urls`, and in texts with an encoding. */
interface Places {
  urls?: readonly string[];
  encodingAt?: EncodingAt;
}

/** Parses the text between the braces. */
function parseReference(text: string): Reference {
  const [step = '', ...path] = text.split('.').map((part) => part.trim());
  return { step, path: path[0] === 'output' ? path.slice(1) : path };
}

/** Returns all references in a value, at any depth. */
export function referencesIn(value: unknown, depth = 0): Reference[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return [...value.matchAll(REFERENCE)].map(([, text = '']) => parseReference(text));
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).flatMap((item) => referencesIn(item, depth + 1));
  return [];
}

/**
 * Returns the value with its references replaced by the values of their targets. If a string consists of one reference,
 * the value keeps its type; in other strings it becomes text. Inserted values are not searched for references again. A
 * reference is null if its step did not run, or its output lacks the path. Values are
 * encoded for their place. Throws RangeError if the result becomes too long or has too many values.
 */
export function resolveReferences(
  value: Json,
  outputs: OutputsById,
  { urls = [], encodingAt = () => undefined }: Places = {},
): Json {
  let room = MAX_CHARACTERS;
  let values = 0;
  const count = (more: number) => {
    values += more;
    if (values > MAX_INPUT_VALUES) throw new RangeError(`it has over ${MAX_INPUT_VALUES} values`);
  };
  const given = (found: Json, encode: Encoding = (text) => text): string => {
    const text = encode(textOf(found));
    room -= text.length;
    if (room < 0) throw new RangeError(`the references make over ${MAX_CHARACTERS} characters`);
    if (typeof found === 'object' && found !== null) count(countValues(text));
    return text;
  };
  const fill = (part: Json, depth: number, encode?: Encoding): Json => {
    if (depth > MAX_DEPTH) return null;
    count(1);
    if (typeof part === 'string') return fillText(part, encode);
    if (Array.isArray(part)) return part.map((item) => fill(item, depth + 1, encode));
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(
        Object.entries(part).map(([key, item]) => [
          key,
          depth === 0 && urls.includes(key) && typeof item === 'string'
            ? fillUrl(item)
            : fill(item, depth + 1, encodingAt(key, part)),
        ]),
      );
    return part;
  };
  const fillUrl = (template: string): Json =>
    WHOLE_REFERENCE.test(template)
      ? fill(template, 1)
      : urlWithValues(template, REFERENCE, (inner) => given(valueAt(parseReference(inner), outputs)));
  const fillText = (text: string, encode?: Encoding): Json => {
    const [, whole] = WHOLE_REFERENCE.exec(text) ?? [];
    if (whole === undefined)
      return text.replace(REFERENCE, (_, inner: string) => given(valueAt(parseReference(inner), outputs), encode));
    const found = valueAt(parseReference(whole), outputs);
    given(found);
    return found;
  };
  return fill(value, 0);
}

/** Reads own properties only, never a prototype's. */
function valueAt({ step, path }: Reference, outputs: OutputsById): Json {
  let value: Json = outputs.get(step) ?? null;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Record<string, Json>)[key] ?? null;
  }
  return value;
}

const textOf = (value: Json): string =>
  value === null
    ? ''
    : typeof value === 'string'
      ? value
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
