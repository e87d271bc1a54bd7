import { isLocalReference, targetOf } from '../../json-pointers.rules.ts';
import type { DocumentObject } from '../../openapi-document.ts';
import { storable, withStorableKeys } from '../../providers/storable.rules.ts';

/** A reference that cannot be followed. */
export class UnresolvedReference extends Error {}

const MAX_DEPTH = 64;

/**
 * Returns a function copying a part of a document with its references resolved. What a reference names is looked for in
 * the document, then in the part: schemas also carry definitions of their own. A recursive reference becomes `{}`, a
 * schema for any value. All copies together have at most `budget` values, so nested references cannot grow
 * exponentially. The function throws UnresolvedReference.
 */
export function createResolver(document: DocumentObject, { maxValues, budget }: { maxValues: number; budget: number }) {
  let spent = 0;

  return (part: unknown): unknown => {
    let values = 0;
    const copyOf = (value: unknown, depth: number, within: readonly unknown[]): unknown => {
      if (++values > maxValues || ++spent > budget)
        throw new UnresolvedReference('is too large once its references are followed');
      if (depth > MAX_DEPTH) throw new UnresolvedReference(`is nested deeper than ${MAX_DEPTH} levels`);
      if (typeof value === 'string') return storable(value);
      if (typeof value !== 'object' || value === null) return value;
      if (within.includes(value)) return {};
      const inside = [...within, value];
      if (Array.isArray(value)) return value.map((item) => copyOf(item, depth + 1, inside));
      const $ref = '$ref' in value ? value.$ref : undefined;
      if (typeof $ref === 'string') return copyOf($ref === '#' ? part : follow([document, part], $ref), depth, inside);
      return withStorableKeys(
        Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copyOf(member, depth + 1, inside)])),
      );
    };
    return copyOf(part, 0, []);
  };
}

function follow(places: unknown[], reference: string): unknown {
  if (!isLocalReference(reference))
    throw new UnresolvedReference(
      `refers to ${reference.slice(0, 200)}: only references within the document are followed`,
    );
  const target = places.map((place) => targetOf(place, reference)).find((found) => found !== undefined);
  if (target === undefined) throw new UnresolvedReference(`refers to ${reference.slice(0, 200)}, which is not there`);
  return target;
}
