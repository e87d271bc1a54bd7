import { randomFillSync } from 'node:crypto';
import { parse, stringify, v5, v7 } from 'uuid';

/** The nil UUID, used by no row and sorted before every id. */
export { MAX as MAX_UUID, NIL as NIL_UUID } from 'uuid';

const RANDOM_BYTES = 16;
const MAX_SEQ = 2 ** 32 - 1;

/** Random bytes of many ids: one question to the system for each takes most of the time of an id. */
const pool = Buffer.alloc(RANDOM_BYTES * 256);
let used = pool.length;
let msecs = 0;
let seq = 0;

/** Returns a new id: a UUID version 7 (RFC 9562), which sorts after all earlier ones of this process. */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  const now = Date.now();
  // Those of one millisecond, or after the clock was set back, are counted from a random number of 31 bits.
  if (now > msecs) [msecs, seq] = [now, random.readUInt32BE(6) >>> 1];
  else if (seq < MAX_SEQ) seq++;
  else [msecs, seq] = [msecs + 1, 0];
  return v7({ msecs, seq, random });
}

/** Returns a new id that sorts as if it had been made at a time. */
export const newIdAt = (time: Date): string => v7({ msecs: time.getTime() });

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID of any version, in the form accepted by the database. */
export const isUuid = (text: string): boolean => UUID.test(text);

const NAMES_OF_OTHERS = '3d0f7a52-6a0c-5d53-9d2a-5a0f3c1e8b77';

/**
 * Returns our id for a name given by others: always the same UUID version 5 (RFC 9562) for the same name. The name must
 * include the org.
 */
export const idOf = (...name: string[]): string => v5(name.join('\n'), NAMES_OF_OTHERS);

/**
 * Returns our id for what belongs to two others: always the same UUID version 7 (RFC 9562). `at` and `place` are those of
 * one of the two. It sorts by time, then by `place` as far as 26 bits tell; 48 more bits tell pairs apart.
 */
export function idOfPair(at: Date, place: number, [one, other]: [string, string]): string {
  const others = parse(other);
  const bytes = Buffer.from(parse(one).map((byte, n) => byte ^ (others[n] ?? 0)));
  bytes.writeUIntBE(at.getTime(), 0, 6);
  bytes.writeUInt16BE(0x7000 | ((place >> 14) & 0xfff), 6);
  bytes.writeUInt16BE(0x8000 | (place & 0x3fff), 8);
  return stringify(bytes);
}
