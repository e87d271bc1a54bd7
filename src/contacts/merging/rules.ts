import type { StoredContact } from '../saving/merge.rules.ts';

/** What identifies a contact besides its id. That of a merged contact finds the one that it is now. */
export type FurtherKeys = Pick<StoredContact, 'email' | 'phone_number' | 'external_id'>;

/** An address that gets no more messages on a channel, because the other contact's gets none. */
export interface UnitedOptOut {
  channel: string;
  address: string;
}

/** What a merge does besides the contact itself. */
export interface MergeRecord {
  /** What identified the absorbed contact and the other one has too: it finds the contact, and is never sent to. */
  further: FurtherKeys;
  /** Values of the absorbed contact that are not kept, as the other one has others. */
  dropped: { name: string | null; custom_data: Record<string, string> };
  /** The number of rows that become the other contact's, by their kind. */
  moved: Record<string, number>;
  /** Opt-outs that one of the contacts had and the addresses of the other one did not. */
  suppressed: UnitedOptOut[];
  /** E-mails that are blocked now because one of the contacts was. */
  blocked: string[];
}

/** The contact that two become, and what of the absorbed one it does not show. */
export interface MergedContact extends Pick<MergeRecord, 'further' | 'dropped'> {
  contact: StoredContact;
}

/** Merges two contacts: the survivor keeps its values, and gets those that it has none of. */
export function mergedContactOf(survivor: StoredContact, absorbed: StoredContact): MergedContact {
  return {
    contact: {
      id: survivor.id,
      email: survivor.email ?? absorbed.email,
      phone_number: survivor.phone_number ?? absorbed.phone_number,
      external_id: survivor.external_id ?? absorbed.external_id,
      name: survivor.name ?? absorbed.name,
      custom_data: { ...absorbed.custom_data, ...survivor.custom_data },
      http_action_overrides: survivor.http_action_overrides ?? absorbed.http_action_overrides,
    },
    further: {
      email: lostOf(survivor.email, absorbed.email),
      phone_number: lostOf(survivor.phone_number, absorbed.phone_number),
      external_id: lostOf(survivor.external_id, absorbed.external_id),
    },
    dropped: {
      name: lostOf(survivor.name, absorbed.name),
      custom_data: Object.fromEntries(
        Object.entries(absorbed.custom_data).filter(
          ([key, value]) => Object.hasOwn(survivor.custom_data, key) && survivor.custom_data[key] !== value,
        ),
      ),
    },
  };
}

const lostOf = (kept: string | null, given: string | null): string | null =>
  kept === null || kept === given ? null : given;

/** Returns each value once, without nulls. */
export const distinct = (values: (string | null | undefined)[]): string[] => [
  ...new Set(values.flatMap((value) => value ?? [])),
];
