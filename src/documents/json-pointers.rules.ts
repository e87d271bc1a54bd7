import { memberOf } from '../collections/records.ts';

/** The most references in a row: each leads to another one. */
const MAX_LINKS = 64;

/** A value with too many references in a row. The message continues a sentence about it. */
export class TooManyLinks extends Error {
  constructor() {
    super(`has more than ${MAX_LINKS} references in a row`);
    this.name = 'TooManyLinks';
  }
}

/**
 * Returns what a value's references lead to, or the value itself if it is none. Undefined: they lead in a circle. Throws
 * TooManyLinks.
 */
export function followLinks(value: unknown, targetOf: (reference: string) => unknown): unknown {
  const seen = new Set<unknown>();
  let target = value;
  for (let reference = referenceIn(target); reference !== undefined; reference = referenceIn(target)) {
    if (seen.has(target)) return undefined;
    if (seen.size === MAX_LINKS) throw new TooManyLinks();
    seen.add(target);
    target = targetOf(reference);
  }
  return target;
}

const referenceIn = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
    ? value.$ref
    : undefined;

/** Whether a reference leads to a place in the same document. */
export const isLocalReference = (reference: string): boolean => reference.startsWith('#/');

/** Returns the target of a local reference, a JSON Pointer as a URI fragment (RFC 6901, 6), or undefined without one. */
export const targetOf = (document: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(memberOf, document);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
