/** More than a ticket of 5,000 comments. */
export const MAX_VALUE_BYTES = 8 * 1024 ** 2;

/** An object of a file, or why there is none. */
export interface JsonValue {
  /** The bytes of the file up to its end. */
  end: number;
  value?: unknown;
  problem?: 'too_large' | 'not_readable';
}

const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a];
const [OPEN, CLOSE] = [new Set([0x7b, 0x5b]), new Set([0x7d, 0x5d])];
/** Between objects: white space, a byte order mark, the separators of RFC 7464, and what makes a list of them. */
const BETWEEN = new Set([0x20, 0x09, 0x0d, NEWLINE, 0xef, 0xbb, 0xbf, 0x1e, 0x2c, 0x5b, 0x5d]);
/** What an object within another follows: a colon, a comma or the beginning of a list. */
const BEFORE_OBJECT = new Set([0x3a, 0x2c, 0x5b]);
const isSpace = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;

/** Where a scan is within the object that it reads. */
interface Scan {
  /** Zero between objects. */
  depth: number;
  isInText: boolean;
  isEscaped: boolean;
  /** The last byte that is not white space. */
  previous: number;
  /** The object so far. Undefined once it is too large. */
  pieces: Buffer[] | undefined;
  bytes: number;
  /** Whether it reads what is no object, up to the end of its line. */
  isGarbage: boolean;
}

const between = (): Scan => ({
  depth: 0,
  isInText: false,
  isEscaped: false,
  previous: 0,
  pieces: [],
  bytes: 0,
  isGarbage: false,
});

/**
 * Yields the objects of JSON in a stream, from a position between two on: one a line, as a list, or one after the other in
 * any spelling. An object that is cut off ends where a line begins with another one. Has one object in memory, of up to 32 MB.
 */
export async function* jsonValuesIn(content: AsyncIterable<Buffer>, after: number): AsyncGenerator<JsonValue> {
  let scan = between();
  let place = after;
  for await (const chunk of content) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const step = advance(scan, chunk[at] ?? 0);
      if (step === 'more') continue;
      if (step === 'skipped') {
        start = at + 1;
        continue;
      }
      const end = step === 'broken' ? at : at + 1;
      if (step !== 'garbage') keep(scan, chunk.subarray(start, end));
      yield { end: place + end, ...(step === 'done' ? parsed(scan) : { problem: 'not_readable' }) };
      scan = between();
      start = end;
      if (step === 'broken') advance(scan, chunk[at] ?? 0);
    }
    if (scan.depth > 0) keep(scan, chunk.subarray(start));
    place += chunk.length;
  }
  if (scan.depth > 0 || scan.isGarbage) yield { end: place, problem: 'not_readable' };
}

/** What a byte comes to. `broken`: what was read before it is no object, and it begins the next one. */
type Step = 'more' | 'skipped' | 'done' | 'broken' | 'garbage';

function advance(scan: Scan, byte: number): Step {
  if (scan.isGarbage) return byte === NEWLINE ? 'garbage' : 'more';
  if (scan.depth === 0) return begin(scan, byte);
  if (scan.isInText) return advanceInText(scan, byte);
  if (byte === QUOTE) scan.isInText = true;
  else if (OPEN.has(byte)) {
    if (byte === 0x7b && !BEFORE_OBJECT.has(scan.previous)) return 'broken';
    scan.depth++;
  } else if (CLOSE.has(byte) && --scan.depth === 0) return 'done';
  if (!isSpace(byte)) scan.previous = byte;
  return 'more';
}

function begin(scan: Scan, byte: number): Step {
  if (BETWEEN.has(byte)) return 'skipped';
  if (byte === 0x7b) {
    scan.depth = 1;
    scan.previous = byte;
  } else scan.isGarbage = true;
  return 'more';
}

/** A text has no line ends: one within it was cut off. */
function advanceInText(scan: Scan, byte: number): Step {
  if (byte === NEWLINE) return 'broken';
  if (scan.isEscaped) scan.isEscaped = false;
  else if (byte === BACKSLASH) scan.isEscaped = true;
  else if (byte === QUOTE) {
    scan.isInText = false;
    scan.previous = byte;
  }
  return 'more';
}

function keep(scan: Scan, piece: Buffer): void {
  scan.bytes += piece.length;
  if (scan.bytes > MAX_VALUE_BYTES) scan.pieces = undefined;
  else scan.pieces?.push(piece);
}

function parsed({ pieces }: Scan): Pick<JsonValue, 'value' | 'problem'> {
  if (pieces === undefined) return { problem: 'too_large' };
  try {
    return { value: JSON.parse(Buffer.concat(pieces).toString('utf8')) };
  } catch {
    return { problem: 'not_readable' };
  }
}
