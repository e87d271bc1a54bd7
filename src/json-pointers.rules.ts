/** Whether a reference leads to a place in the same document. */
export const isLocalReference = (reference: string): boolean => reference.startsWith('#/');

/** Returns the target of a local reference, a JSON Pointer as a URI fragment (RFC 6901, 6), or undefined without one. */
export const targetOf = (document: unknown, reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part) ? value[part as never] : undefined,
      document,
    );

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
