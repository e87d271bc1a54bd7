import { z } from 'zod';
import { WEBHOOK_EVENTS } from './schema.ts';

/** A schema as JSON Schema, as far as it says what is text. */
interface Shape {
  $ref?: string;
  $defs?: Record<string, Shape>;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

/** Nobody's words in a session: contacts, and what the org has set up. */
const KEPT_WHOLE = ['contact', 'session.contact', 'session.team', 'session.tags', 'policy', 'url'];
const FORMATS = ['uuid', 'date', 'date-time'];
const TYPES = ['number', 'integer', 'boolean'];
/** The names of strings that are ids, times and the like without a format. */
const NAMES = /(^|_)(ids?|at|until|type|status|channel|language|number)$/;

/** What is found at the paths so far. */
interface Paths {
  kept: Set<string>;
  free: Set<string>;
}

/** Adds the paths of a schema's values. `refs` has the schemas that are open: one in itself is free text. */
function addPaths(
  paths: Paths,
  shape: Shape,
  path: string,
  refs: { all: Record<string, Shape>; open: string[] },
): void {
  if (KEPT_WHOLE.includes(path)) return;
  const name = shape.$ref?.split('/').at(-1) ?? '';
  const target = refs.open.includes(name) ? undefined : refs.all[name];
  const within = { ...refs, open: target === undefined ? refs.open : [...refs.open, name] };
  const parts = [target ?? [], shape.anyOf ?? [], shape.oneOf ?? [], shape.allOf ?? [], shape.items ?? []].flat();
  for (const part of parts) addPaths(paths, part, path, within);
  for (const [key, inner] of Object.entries(shape.properties ?? {}))
    addPaths(paths, inner, path === '' ? key : `${path}.${key}`, within);
  if (parts.length === 0 && shape.type !== 'null') paths[isFreeText(shape, path) ? 'free' : 'kept'].add(path);
}

/** Whether values of a schema without parts may be anything. */
function isFreeText({ format = '', ...shape }: Shape, path: string): boolean {
  const types = [shape.type ?? []].flat().filter((type) => type !== 'null');
  const isText = types.length === 0 || !types.every((type) => TYPES.includes(type));
  if (shape.enum !== undefined || shape.const !== undefined || !isText) return false;
  return types.join() !== 'string' || !(FORMATS.includes(format) || NAMES.test(path.split('.').at(-1) ?? ''));
}

/**
 * Returns the paths in the data of webhooks about a session at which no type has free text: enumerations, numbers, ids
 * and times. Fields that no schema declares are at none of them.
 */
function findKeptPaths(): string[] {
  const paths: Paths = { kept: new Set(KEPT_WHOLE), free: new Set() };
  for (const { full, thin } of Object.values(WEBHOOK_EVENTS))
    for (const schema of 'session' in full.shape ? [full, thin] : []) {
      const shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape;
      addPaths(paths, shape, '', { all: shape.$defs ?? {}, open: [] });
    }
  return [...paths.kept].filter((path) => !paths.free.has(path));
}

let kept: string[] | undefined;

/** Returns the paths in the data of webhooks about a session that its redaction keeps. They are found once, when needed. */
export const keptPaths = (): string[] => {
  kept ??= findKeptPaths();
  return kept;
};
