import type { Json } from './schema.ts';

/** `{{step_id.output.field}}`, or `{{step_id.field}}`. Spaces belong to what is between the braces: apart, they took minutes to tell apart. */
const REFERENCE = /\{\{([^{}]{1,500})\}\}/g;
const WHOLE_REFERENCE = /^\{\{([^{}]{1,500})\}\}$/;
const MAX_DEPTH = 64;
/** What references may put into one value, as JSON: each may give a megabyte, and there may be thousands. */
const MAX_CHARACTERS = 2_000_000;

/** A step, or `trigger`, and where in its output. */
export interface Reference {
  step: string;
  path: string[];
}

/** What a step gave; undefined where it did not run. */
export type OutputsById = ReadonlyMap<string, Json>;

/** The reference that text between braces is. */
function parseReference(text: string): Reference {
  const [step = '', ...path] = text.split('.').map((part) => part.trim());
  return { step, path: path[0] === 'output' ? path.slice(1) : path };
}

/** Every reference in a value, wherever it stands. */
export function referencesIn(value: unknown, depth = 0): Reference[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') return [...value.matchAll(REFERENCE)].map(([, text = '']) => parseReference(text));
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item, depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.values(value).flatMap((item) => referencesIn(item, depth + 1));
  return [];
}

/**
 * The value with its references replaced by what they refer to. A string that is one reference keeps the value's type; in other strings it
 * becomes text. What comes out is not looked at again. One to a step that did not run, or to what its output lacks, is null. Throws RangeError
 * where it becomes too large.
 */
export function resolveReferences(value: Json, outputs: OutputsById): Json {
  let room = MAX_CHARACTERS;
  const given = (found: Json): string => {
    const text = textOf(found);
    room -= text.length;
    if (room < 0) throw new RangeError(`the references make over ${MAX_CHARACTERS} characters`);
    return text;
  };
  const fill = (part: Json, depth: number): Json => {
    if (depth > MAX_DEPTH) return null;
    if (typeof part === 'string') return fillText(part);
    if (Array.isArray(part)) return part.map((item) => fill(item, depth + 1));
    if (typeof part === 'object' && part !== null)
      return Object.fromEntries(Object.entries(part).map(([key, item]) => [key, fill(item, depth + 1)]));
    return part;
  };
  const fillText = (text: string): Json => {
    const [, whole] = WHOLE_REFERENCE.exec(text) ?? [];
    if (whole === undefined)
      return text.replace(REFERENCE, (_, inner: string) => given(valueAt(parseReference(inner), outputs)));
    const found = valueAt(parseReference(whole), outputs);
    given(found);
    return found;
  };
  return fill(value, 0);
}

/** Looks only at what a value has of its own: no prototype is reached. */
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
