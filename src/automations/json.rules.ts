import type { Json } from './blocks/schema.ts';

export type JsonObject = { [key: string]: Json };

/** Returns the fields of an object. Any other value has none. */
export const fieldsOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};

/** Returns whether a value has at most so many values inside, at any depth. */
export function hasAtMostValues(root: unknown, most: number): boolean {
  const open = [root];
  for (let count = 0; open.length > 0; count++) {
    const value = open.pop();
    if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) open.push(inner);
    if (count + open.length > most) return false;
  }
  return true;
}
