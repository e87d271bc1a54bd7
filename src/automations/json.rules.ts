import type { Json } from './blocks/schema.ts';

export type JsonObject = { [key: string]: Json };

/** Returns the fields of an object. Any other value has none. */
export const fieldsOf = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
