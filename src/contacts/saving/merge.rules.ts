/** The overrides of a contact as stored: encrypted, because they may contain credentials. */
export interface SealedOverrides {
  sealed: string;
  /** Equal for equal overrides. */
  fingerprint: string;
  /** Size of the overrides before encryption. */
  bytes: number;
}

/** Overrides to be stored, with what those that were stored of equal ones may have as a fingerprint. */
export interface GivenOverrides {
  overrides: SealedOverrides;
  fingerprints: string[];
}

/** A contact as stored. */
export interface StoredContact {
  id: string;
  email: string | null;
  phone_number: string | null;
  external_id: string | null;
  name: string | null;
  custom_data: Record<string, string>;
  http_action_overrides: SealedOverrides | null;
}

/** A caller's change of a contact; null removes a value, or a key of custom_data. */
export interface ContactChange {
  email?: string | null | undefined;
  phone?: string | null | undefined;
  external_id?: string | null | undefined;
  name?: string | null | undefined;
  custom_data?: Record<string, string | null> | undefined;
  http_action_overrides?: GivenOverrides | undefined;
}

const MAX_KEYS = 100;
const MAX_CONTACT_BYTES = 64 * 1024;

export const blankContact = (id: string): StoredContact => ({
  id,
  email: null,
  phone_number: null,
  external_id: null,
  name: null,
  custom_data: {},
  http_action_overrides: null,
});

/** Returns the contact after the change: absent fields stay, null removes one, custom_data merges by key. */
export function mergeContact(contact: StoredContact, change: ContactChange): StoredContact {
  return {
    id: contact.id,
    email: valueAfter(contact.email, change.email),
    phone_number: valueAfter(contact.phone_number, change.phone),
    external_id: valueAfter(contact.external_id, change.external_id),
    name: valueAfter(contact.name, change.name),
    custom_data: mergeData(contact.custom_data, change.custom_data ?? {}),
    http_action_overrides: mergeOverrides(contact.http_action_overrides, change.http_action_overrides),
  };
}

/** Returns the contact with what it does not have of a change. */
export function fillContact(contact: StoredContact, change: ContactChange): StoredContact {
  return {
    ...contact,
    email: contact.email ?? change.email ?? null,
    phone_number: contact.phone_number ?? change.phone ?? null,
    external_id: contact.external_id ?? change.external_id ?? null,
    name: contact.name ?? change.name ?? null,
    custom_data: { ...mergeData({}, change.custom_data ?? {}), ...contact.custom_data },
  };
}

const valueAfter = (stored: string | null, given: string | null | undefined) => (given === undefined ? stored : given);

/** Equal overrides leave the stored ones as they are: encrypted anew they would look like a change. */
function mergeOverrides(stored: SealedOverrides | null, given: GivenOverrides | undefined): SealedOverrides | null {
  if (given === undefined || (stored !== null && given.fingerprints.includes(stored.fingerprint))) return stored;
  return given.overrides;
}

/** Returns the values by key after the changes. */
export function mergeData(
  data: Record<string, string>,
  changes: Record<string, string | null>,
): Record<string, string> {
  const merged = new Map(Object.entries(data));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/**
 * Returns the limit exceeded by a contact, or undefined. The event of a change carries the former state too, so both
 * are bounded.
 */
export function limitViolationOf({ custom_data, http_action_overrides }: StoredContact): string | undefined {
  const excess = dataLimitViolationOf(custom_data);
  if (excess !== undefined) return `contact.custom_data: ${excess}`;
  if (http_action_overrides !== null && http_action_overrides.bytes > MAX_CONTACT_BYTES)
    return `contact.http_action_overrides: would be larger than ${MAX_CONTACT_BYTES} bytes`;
  return undefined;
}

/** Returns the limit exceeded by merged values by key, or undefined. */
export function dataLimitViolationOf(data: Record<string, string>): string | undefined {
  if (Object.keys(data).length > MAX_KEYS)
    return `would have more than ${MAX_KEYS} keys once merged; remove some by null`;
  return bytesOf(data) > MAX_CONTACT_BYTES ? `would be larger than ${MAX_CONTACT_BYTES} bytes once merged` : undefined;
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Whether two states of a contact are equal, regardless of the order of their keys. */
export const isSameContact = (one: StoredContact, other: StoredContact) => canonical(one) === canonical(other);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
