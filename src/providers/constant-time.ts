import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a caller gave what only its sender can know. Takes as long for a near miss as for a far one. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

const digestOf = (text: string) => createHash('sha256').update(text).digest();
