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

/** Returns a stored trigger configuration with its secret masked, for responses. */
export function maskSecret(stored: Json): Json {
  if (!isFields(stored) || stored.sealed_secret === undefined) return stored;
  const { sealed_secret: _, ...shown } = stored;
  return { ...shown, secret: MASK };
}

/**
 * Returns the configuration to store, with its secret encrypted. A masked secret, sent back unchanged, keeps the
 * encrypted secret of `before`, the stored configuration.
 */
export function encryptSecret(
  secrets: Secrets,
  orgId: string,
  automationId: string,
  { given, before }: { given: Json; before: Json },
): Json {
  if (!isFields(given)) return given;
  const { sealed_secret: _, secret, ...others } = given;
  if (secret === undefined) return others;
  const known = isFields(before) ? before.sealed_secret : undefined;
  if (secret === MASK && known !== undefined) return { ...others, sealed_secret: known };
  return { ...others, sealed_secret: secrets.encrypt(String(secret), secretPlaceOf(orgId, automationId)) };
}

/** Returns the configuration without its secret if the secret is the mask of a stored one. */
export function withoutMaskedSecret(given: Json, before: Json): Json {
  if (!isFields(given) || given.secret !== MASK || !isFields(before) || before.sealed_secret === undefined)
    return given;
  const { secret: _, ...others } = given;
  return others;
}

/** Returns the decrypted secret of a stored configuration. */
export function decryptSecret(secrets: Secrets, orgId: string, automationId: string, stored: Json): string | undefined {
  if (!isFields(stored) || typeof stored.sealed_secret !== 'string') return undefined;
  return secrets.decrypt(stored.sealed_secret, secretPlaceOf(orgId, automationId));
}
