import { isRecord, memberOf } from '../../collections/records.ts';
import { type Issue, invalid } from '../../errors.ts';
import type { Secrets } from '../../secrets.ts';
import { originOf } from '../../text/urls.rules.ts';
import type { findIntegration, IntegrationKey } from './queries.ts';
import { type ConnectionKind, type IntegrationKind, MASK, SECRET_PATHS } from './schema.ts';

/** Settings by name, with "***" in place of each secret. */
export type StoredSettings = Record<string, unknown>;
/** Secrets by their path in the settings. */
export type SecretValues = Record<string, string>;
export type StoredIntegration = NonNullable<Awaited<ReturnType<typeof findIntegration>>>;

/** The name of an org's only connection of a kind. */
export const CONNECTION_NAME = 'Default';
/** The key of a secret outside the settings: the token in the address for webhooks of the org's CRM. */
export const WEBHOOK_TOKEN = 'webhook_token';
const MIN_SECRET_LENGTH = 4;

const secretPlaceOf = (orgId: string, { kind, name }: IntegrationKey) => ({
  orgId,
  table: 'integrations',
  column: 'secrets',
  row: `${kind}/${name}`,
});

/** Encrypts the secrets of a connection. */
export function sealSecrets(secrets: Secrets, orgId: string, key: IntegrationKey, values: SecretValues): string | null {
  if (Object.keys(values).length === 0) return null;
  return secrets.encrypt(JSON.stringify(values), secretPlaceOf(orgId, key));
}

/** Decrypts the secrets of a connection. */
export function openSecrets(
  secrets: Secrets,
  orgId: string,
  { secrets: sealed, ...key }: IntegrationKey & Pick<StoredIntegration, 'secrets'>,
): SecretValues {
  if (sealed === null) return {};
  return JSON.parse(secrets.decrypt(sealed, secretPlaceOf(orgId, key)));
}

/**
 * Separates the secrets from given settings, leaving "***" in their place. Throws invalid for a "***" without a stored
 * secret, or after a change of destination.
 */
export function splitSecrets(
  kind: IntegrationKind,
  given: StoredSettings,
  stored: StoredSettings,
  before: SecretValues,
) {
  const settings = structuredClone(given);
  const values: SecretValues = {};
  const issues: Issue[] = [];
  const hasMoved = destinationOf(settings) !== destinationOf(stored);

  for (const path of SECRET_PATHS[kind]) {
    const value = valueAt(settings, path);
    if (value === undefined) continue;
    const kept = value === MASK ? before[path] : value;
    if (kept === undefined)
      issues.push({ path: `body.settings.${path}`, message: 'no secret is stored to keep: send it' });
    else if (value === MASK && hasMoved) {
      issues.push({
        path: `body.settings.${path}`,
        message: 'send the secret again: it is not kept for another scheme, host or port',
      });
    } else values[path] = kept;
    setAt(settings, path, MASK);
  }
  if (issues.length > 0) {
    throw invalid(
      `The request is not valid: ${issues.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      issues,
    );
  }
  return { settings, values };
}

/**
 * Returns where settings send their secrets: scheme, host and port, and whether the way may be open to others. A secret
 * that is kept must not reach another destination.
 */
function destinationOf({ base_url, host, port, secure, allow_unencrypted_login: isOpen }: StoredSettings): string {
  const server = [host, port, secure, isOpen].map((part) => (part === undefined ? null : String(part).toLowerCase()));
  return JSON.stringify([typeof base_url === 'string' ? originOf(base_url) : null, ...server]);
}

/** Returns the settings with their secrets. */
export function joinSecrets(settings: StoredSettings, values: SecretValues): StoredSettings {
  const joined = structuredClone(settings);
  for (const [path, value] of Object.entries(values)) if (path !== WEBHOOK_TOKEN) setAt(joined, path, value);
  return joined;
}

/** Returns the secrets in the settings of a connection of this kind. */
export const secretsIn = (kind: ConnectionKind, settings: object): SecretValues =>
  Object.fromEntries(
    SECRET_PATHS[kind].flatMap((path) => {
      const value = valueAt(settings, path);
      return value === undefined ? [] : [[path, value]];
    }),
  );

/** Paths come from SECRET_PATHS and have one or two steps. */
function valueAt(settings: object, path: string): string | undefined {
  const value = path.split('.').reduce<unknown>(memberOf, settings);
  return typeof value === 'string' ? value : undefined;
}

function setAt(settings: StoredSettings, path: string, value: string): void {
  const [first = '', second] = path.split('.');
  const inner = settings[first];
  if (second === undefined) settings[first] = value;
  else if (isRecord(inner)) inner[second] = value;
}

/** Masks the secrets in a provider's message, because it may quote the request. */
export const withoutSecrets = (message: string, values: SecretValues) =>
  Object.values(values)
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .reduce((text, value) => text.replaceAll(value, MASK), message);
