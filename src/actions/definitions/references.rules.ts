import { followLinks, isLocalReference, TooManyLinks, targetOf } from '../../documents/json-pointers.rules.ts';
import type { DocumentObject } from '../../documents/openapi.ts';
import { storable, withStorableKeys } from '../../providers/storable.rules.ts';

/** A reference that cannot be followed. */
export class UnresolvedReference extends Error {}

const MAX_DEPTH = 64;

/** Bounds of copies with their references resolved: nested references could make them grow exponentially. */
export interface CopyBounds {
  /** Values of one copy. */
  maxValues: number;
  /** Values, and characters of texts and names, of all copies together. */
  total: { maxValues: number; maxCharacters: number };
}

/**
 * Returns a function copying a part of a document with its references resolved. What a reference names is looked for in
 * the document, then in the part: schemas also carry definitions of their own. A recursive reference becomes `{}`, a
 * schema for any value. `readOnly` beside a reference is kept. The function throws UnresolvedReference.
 */
export function createResolver(document: DocumentObject, bounds: CopyBounds) {
  const total = createBudget(bounds.total);

  return (part: unknown): unknown => {
    const own = createBudget({ maxValues: bounds.maxValues, maxCharacters: bounds.total.maxCharacters });
    const within = new Set<unknown>();
    const spend = (values: number, characters: number) => {
      own.spend(values, characters);
      total.spend(values, characters);
    };
    const find = (reference: string) => {
      spend(1, reference.length);
      return reference === '#' ? part : follow([document, part], reference);
    };
    const copyOf = (value: unknown, depth: number): unknown => {
      spend(1, typeof value === 'string' ? value.length : 0);
      if (depth > MAX_DEPTH) throw new UnresolvedReference(`is nested deeper than ${MAX_DEPTH} levels`);
      if (typeof value === 'string') return storable(value);
      if (typeof value !== 'object' || value === null) return value;
      const target = targetOfLinks(value, find);
      if (target !== value) return withSiblings(value, target === undefined ? {} : copyOf(target, depth));
      if (within.has(value)) return {};
      within.add(value);
      const copy = Array.isArray(value) ? value.map((item) => copyOf(item, depth + 1)) : membersOf(value, depth);
      within.delete(value);
      return copy;
    };
    const membersOf = (value: object, depth: number) =>
      withStorableKeys(
        Object.fromEntries(
          Object.entries(value).map(([key, member]) => {
            spend(0, key.length);
            return [key, copyOf(member, depth + 1)];
          }),
        ),
      );
    return copyOf(part, 0);
  };
}

function createBudget({ maxValues, maxCharacters }: CopyBounds['total']) {
  const left = { values: maxValues, characters: maxCharacters };
  return {
    spend(values: number, characters: number) {
      left.values -= values;
      left.characters -= characters;
      if (left.values < 0) throw new UnresolvedReference(`has more than ${maxValues} values with references followed`);
      if (left.characters < 0)
        throw new UnresolvedReference(`has more than ${maxCharacters} characters with references followed`);
    },
  };
}

function targetOfLinks(value: object, find: (reference: string) => unknown): unknown {
  try {
    return followLinks(value, find);
  } catch (error) {
    throw error instanceof TooManyLinks ? new UnresolvedReference(error.message) : error;
  }
}

/** OpenAPI 3.1 allows keywords beside a reference. This one says of a property what its schema in common use cannot. */
const withSiblings = (reference: object, copy: unknown): unknown =>
  'readOnly' in reference && reference.readOnly === true && typeof copy === 'object' && copy !== null
    ? { ...copy, readOnly: true }
    : copy;

function follow(places: unknown[], reference: string): unknown {
  if (!isLocalReference(reference))
    throw new UnresolvedReference(
      `refers to ${reference.slice(0, 200)}: only references within the document are followed`,
    );
  const target = places.map((place) => targetOf(place, reference)).find((found) => found !== undefined);
  if (target === undefined) throw new UnresolvedReference(`refers to ${reference.slice(0, 200)}, which is not there`);
  return target;
}
