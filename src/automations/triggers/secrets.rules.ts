import type { SecretPlace, Secrets } from '../../secrets.ts';
import type { Json } from '../blocks/schema.ts';
import { MASK } from '../masking.rules.ts';

type Fields = { [key: string]: Json };

const secretPlaceOf = (orgId: string, automationId: string): SecretPlace => ({
  orgId,
  table: 'automation_versions',
  column: 'trigger_configuration',
  row: automationId,
});

const isFields = (value: Json): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A trigger's stored configuration as answers show it: never with its secret. */
export function maskSecret(stored: Json): Json {
  if (!isFields(stored) || stored.sealed_secret === undefined) return stored;
  const { sealed_secret: _, ...shown } = stored;
  return { ...shown, secret: MASK };
}

/**
 * A given configuration as it is stored: its secret is encrypted. One that came back as it was shown stays as it is in `before`, the configuration
 * that was stored until now.
 */
export function encryptSecret(secrets: Secrets, orgId: string, automationId: string, given: Json, before: Json): Json {
  if (!isFields(given)) return given;
  const { sealed_secret: _, secret, ...others } = given;
  if (secret === undefined) return others;
  const known = isFields(before) ? before.sealed_secret : undefined;
  if (secret === MASK && known !== undefined) return { ...others, sealed_secret: known };
  return { ...others, sealed_secret: secrets.encrypt(String(secret), secretPlaceOf(orgId, automationId)) };
}

/** A given configuration without a secret that came back as it was shown. */
export function withoutMaskedSecret(given: Json, before: Json): Json {
  if (!isFields(given) || given.secret !== MASK || !isFields(before) || before.sealed_secret === undefined)
    return given;
  const { secret: _, ...others } = given;
  return others;
}

/** The secret of a stored configuration. */
export function decryptSecret(secrets: Secrets, orgId: string, automationId: string, stored: Json): string | undefined {
  if (!isFields(stored) || typeof stored.sealed_secret !== 'string') return undefined;
  return secrets.decrypt(stored.sealed_secret, secretPlaceOf(orgId, automationId));
}
