import type { Secrets } from '../../secrets.ts';
import type { ContactFields } from '../schema.ts';
import type { ContactChange, GivenOverrides, SealedOverrides } from './merge.rules.ts';

type Overrides = NonNullable<ContactFields['http_action_overrides']>;

const placeOf = (orgId: string) => ({ orgId, table: 'contacts', column: 'http_action_overrides', row: orgId });

/** Returns the change with its overrides encrypted, and with the phone number by whichever of its names it was given. */
export function sealChange(secrets: Secrets, orgId: string, fields: ContactFields): ContactChange {
  const { http_action_overrides: overrides, phone_number, phone = phone_number, ...others } = fields;
  const change = { ...others, phone };
  if (overrides === undefined) return change;
  return { ...change, http_action_overrides: sealOverrides(secrets, orgId, JSON.stringify(overrides)) };
}

function sealOverrides(secrets: Secrets, orgId: string, plain: string): GivenOverrides {
  const place = placeOf(orgId);
  const fingerprints = secrets.fingerprints(plain, place);
  const [fingerprint] = fingerprints;
  const overrides = { sealed: secrets.encrypt(plain, place), fingerprint, bytes: Buffer.byteLength(plain) };
  return { overrides, fingerprints };
}

/** Returns overrides as they are stored, encrypted by the present key, for others that are stored. */
export function resealOverrides(secrets: Secrets, orgId: string, stored: SealedOverrides): SealedOverrides {
  return sealOverrides(secrets, orgId, secrets.decrypt(stored.sealed, placeOf(orgId))).overrides;
}

/** Returns stored overrides decrypted. Those stored before they were encrypted are plain. */
export function openOverrides(secrets: Secrets, orgId: string, stored: SealedOverrides | Overrides): Overrides {
  return isSealed(stored) ? JSON.parse(secrets.decrypt(stored.sealed, placeOf(orgId))) : stored;
}

const isSealed = (stored: SealedOverrides | Overrides): stored is SealedOverrides =>
  'sealed' in stored && typeof stored.sealed === 'string';
