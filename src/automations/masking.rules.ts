import type { Json } from './blocks/schema.ts';

/** What stands in the place of what opens doors elsewhere. */
export const MASK = '***';

/** Names of headers and fields whose values open doors elsewhere. */
const CREDENTIAL_NAME =
  /(^|[-_])(authorization|cookie|password|passwd|secret|token|api[-_]?key|private[-_]?key|credentials?|signature)$/i;
const isCredentialName = (name: string) => CREDENTIAL_NAME.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_'));

/** A value as it is shown: what it has under the name of a credential is not. */
export function maskCredentials(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskCredentials);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      inner !== null && isCredentialName(name) ? MASK : maskCredentials(inner),
    ]),
  );
}
