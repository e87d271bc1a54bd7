import { storable, truncated } from './storable.rules.ts';

const MAX_DEPTH = 8;
const MAX_LINES = 200;
const MAX_CHARACTERS = 65_536;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_096;
/** A list of plain values is one line. */
const MAX_LISTED = 100;

type Field = [name: string, value: string];

/**
 * Returns the fields of a JSON value as lines of name and value. Reads no more fields than it shows, and says what it
 * leaves out.
 */
export function linesOf(value: unknown): string[] {
  const lines: string[] = [];
  let remaining = MAX_CHARACTERS;
  for (const [name, text] of fieldsOf(value, '', 0)) {
    if (lines.length === MAX_LINES || remaining <= 0) return [...lines, '[more fields are left out]'];
    const line = name === '' ? shortened(text) : `${truncated(storable(name), MAX_NAME_LENGTH)}: ${shortened(text)}`;
    remaining -= line.length;
    lines.push(line);
  }
  return lines;
}

/** Returns a storable value, with an ellipsis in place of what exceeds the longest one. */
export function shortened(value: string): string {
  const text = storable(value);
  return text.length > MAX_VALUE_LENGTH ? `${truncated(text, MAX_VALUE_LENGTH)}…` : text;
}

function* fieldsOf(value: unknown, name: string, depth: number): Generator<Field> {
  if (value === null || value === undefined || value === '') return;
  if (typeof value !== 'object') yield [name, String(value)];
  else if (depth === MAX_DEPTH) yield [name, '[nested too deep]'];
  else if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item !== 'object'))
    yield [name, listed(value)];
  else for (const [key, item] of Object.entries(value)) yield* fieldsOf(item, pathOf(name, key), depth + 1);
}

const pathOf = (name: string, key: string) => (name === '' ? key : `${name}.${key}`);

function listed(values: unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).join(', ');
  return values.length > MAX_LISTED ? `${shown} [${values.length - MAX_LISTED} more]` : shown;
}
