/** The reference ends the host, and continues a name or number that the template has begun. */
const HOST_BEGUN = /^[^/]*\/\/[^/?#]*[^/?#.:]$/;
const HOST_ENDS = /^(?:[/?#]|$)/;

/**
 * Returns a URL with each reference replaced by its value, encoded as one part of a path, as one value of a query, or as a
 * part of a host name. A value at the very beginning is an address itself, and stays as it is. Throws RangeError if a
 * value would continue the host or change the path around it.
 */
export function urlWithValues(template: string, reference: RegExp, textOf: (inner: string) => string): string {
  const encode = (inner: string, before: string, after: string): string => {
    const value = textOf(inner).toWellFormed();
    if (before === '') return value;
    if (value !== '' && HOST_BEGUN.test(before) && HOST_ENDS.test(after))
      throw new RangeError('a value would continue the host of its url');
    return encodeURIComponent(value);
  };
  const url = fill(template, reference, encode);
  const plain = fill(template, reference, (inner, before) => (before === '' ? textOf(inner) : 'x'));
  if (partsOf(url) !== partsOf(plain)) throw new RangeError('a value would be more than its part of the url');
  return url;
}

/** Replaces the references from left to right. `before` is the result so far, and `after` the rest of the template. */
function fill(
  template: string,
  reference: RegExp,
  value: (inner: string, before: string, after: string) => string,
): string {
  let filled = '';
  let end = 0;
  for (const { 0: whole, 1: inner = '', index } of template.matchAll(reference)) {
    filled += template.slice(end, index);
    end = index + whole.length;
    filled += value(inner, filled, template.slice(end, end + 1));
  }
  return filled + template.slice(end);
}

const partsOf = (url: string): number | undefined => URL.parse(url)?.pathname.split('/').length;
