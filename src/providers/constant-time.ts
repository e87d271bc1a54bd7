import { createHash, timingSafeEqual } from 'node:crypto';

/** Whether a given secret is the expected one. The duration does not depend on the number of matching characters. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

const digestOf = (text: string) => createHash('sha256').update(text).digest();
