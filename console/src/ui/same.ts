import { hashKey } from '@tanstack/react-query';

/** Returns whether two values are the same as JSON. The order of an object's fields means nothing. */
export const isSame = (one: unknown, other: unknown): boolean =>
  (one === undefined) === (other === undefined) && hashKey([one]) === hashKey([other]);
