/** Both ends included. */
interface Range {
  start: number;
  end: number;
}

const ONE_RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The part of `size` bytes that a Range header asks for (RFC 9110, 14.1.2). What is no single range of bytes asks for the whole, as a
 * server may take it.
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
