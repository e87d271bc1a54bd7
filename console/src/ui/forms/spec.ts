/**
 * How a value of a form is written. Values of checks are booleans, all others are texts until they are saved. A stored
 * secret that is to be removed is false.
 */
export type FieldSpec = {
  label: string;
  hint?: string;
  isRequired?: boolean;
} & (
  | { kind: 'text'; maxLength?: number; placeholder?: string; type?: 'text' | 'url' | 'email' | 'color' }
  | { kind: 'secret'; isLong?: boolean }
  | { kind: 'number'; min?: number; max?: number; step?: string }
  | { kind: 'choice'; options: readonly (readonly [value: string, name: string])[] }
  | { kind: 'long'; rows?: number; maxLength?: number }
  | { kind: 'lines'; rows?: number }
  | { kind: 'check' }
);

export type Specs = Record<string, FieldSpec>;
export type Written = Record<string, string | boolean>;

/** The API's placeholder for a secret. Sent back, it keeps the secret. */
export const STORED_SECRET = '***';

/** Returns the values as fields have them. Names of nested values have dots: dkim.domain. */
export const writtenOf = (specs: Specs, value: object): Written =>
  Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, writtenValue(spec, valueAt(value, name))]));

function writtenValue(spec: FieldSpec, value: unknown): string | boolean {
  if (spec.kind === 'check') return value === true;
  if (spec.kind === 'secret' || value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/**
 * Returns the written values as the API takes them: all for a form stored as a whole, else the changed ones. An empty field
 * is left out, or null if `isNullable`.
 */
export function valuesIn(
  specs: Specs,
  written: Written,
  { isNullable = false }: { isNullable?: boolean } = {},
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, spec, text] of writtenFields(specs, written)) {
    const value = valueFor(spec, text);
    if (value !== undefined || isNullable) put(values, name.split('.'), value ?? null);
  }
  return values;
}

/** Returns the fields that something was written in, in the order of the specs. */
const writtenFields = (specs: Specs, written: Written) =>
  Object.entries(specs).flatMap(([name, spec]) => {
    const text = written[name];
    return text === undefined ? [] : [[name, spec, text] as const];
  });

/**
 * Returns stored values with the changes, as the API takes them. All others stay as stored, also unset ones and those
 * without a field. Emptied values are left out, and so is a part with nothing left but stored secrets.
 */
export function withChanges(specs: Specs, stored: object, changes: Written): Record<string, unknown> {
  const values = structuredClone(stored) as Record<string, unknown>;
  for (const [name, spec, text] of writtenFields(specs, changes))
    put(values, name.split('.'), valueFor(spec, text, valueAt(stored, name) === STORED_SECRET));
  const changedParts = new Set(Object.keys(changes).map((name) => name.split('.')[0]));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => value != null && (name in specs || !changedParts.has(name) || !isSecretAlone(value)),
    ),
  );
}

const isSecretAlone = (part: unknown): boolean =>
  typeof part === 'object' &&
  part !== null &&
  Object.values(part).every((value) => value === STORED_SECRET || value === undefined);

/** What a secret is once its removal was asked for. */
export const REMOVED_SECRET = false;

function valueFor(spec: FieldSpec, written: string | boolean, isStored = false): unknown {
  if (spec.kind === 'secret' && written === REMOVED_SECRET) return undefined;
  if (typeof written === 'boolean') return written;
  if (spec.kind === 'secret') return written === '' && isStored ? STORED_SECRET : written || undefined;
  const text = spec.kind === 'long' ? written : written.trim();
  if (spec.kind === 'lines') return linesOf(text);
  if (text === '') return undefined;
  return spec.kind === 'number' ? Number(text) : text;
}

/** Returns the lines of a text that have something in them. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Returns the headers in a text, one a line. A line without a colon is a name alone: the API says what is wrong with it. */
export const headersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );

export const valueAt = (value: object, name: string): unknown =>
  name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | null | undefined)?.[part], value);

function put(values: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    values[name] = value;
    return;
  }
  const inner = (values[name] ?? {}) as Record<string, unknown>;
  values[name] = inner;
  put(inner, rest, value);
}
