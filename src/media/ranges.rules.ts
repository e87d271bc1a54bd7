/** Both ends inclusive. */
interface Range {
  start: number;
  end: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * Returns the part of `size` bytes requested by a Range header (RFC 9110, 14.1.2). Any header other than a single byte
 * range requests the whole: a server may ignore it.
 */
export function rangeOf(header: string | undefined, size: number): Range | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = ONE_RANGE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '')
    return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(size - Number(last), 0), end: size - 1 };
  const [start, end] = [Number(first), last === '' ? size - 1 : Math.min(Number(last), size - 1)];
  if (last !== '' && Number(last) < start) return 'whole';
  return start >= size ? 'unsatisfiable' : { start, end };
}
