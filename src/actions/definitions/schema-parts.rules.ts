import { isRecord } from '../../collections/records.ts';
import type { JsonSchema } from './schema.ts';

/** Returns a value if it is an object. */
export const objectOf = (value: unknown): JsonSchema | undefined => (isRecord(value) ? value : undefined);

/** Returns the schema of an object's property. */
export function propertyOf(schema: JsonSchema | undefined, name: string): JsonSchema | undefined {
  const properties = objectOf(schema?.properties);
  return properties !== undefined && Object.hasOwn(properties, name) ? objectOf(properties[name]) : undefined;
}
