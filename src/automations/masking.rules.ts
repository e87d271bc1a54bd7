import type { Json } from './blocks/schema.ts';
import type { JsonObject } from './json.rules.ts';

/** Replaces credentials in everything shown to users. */
export const MASK = '***';

/** Names of headers and fields with credentials as values. */
const CREDENTIAL_NAME =
  /(^|[-_])(authorization|cookie|password|passwd|pw|secret|token|api[-_]?key|private[-_]?key|credentials?|signature)$/i;
/** Returns whether a header or a field with this name has a credential as its value. */
export const isCredentialName = (name: string): boolean =>
  CREDENTIAL_NAME.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_'));

/** Returns the value with its credentials masked, according to their field names. */
export function maskCredentials(value: JsonObject): JsonObject;
export function maskCredentials(value: Json): Json;
export function maskCredentials(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => maskCredentials(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner !== null && isCredentialName(name) ? MASK : maskCredentials(inner),
    ]),
  );
}
