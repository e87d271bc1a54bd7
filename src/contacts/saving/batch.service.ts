import type { z } from 'zod';
import type { Db } from '../../db/connect.ts';
import { nearestName, unknownName } from '../../schemas/names.ts';
import { strictThroughout, unknownPathsIn } from '../../schemas/parts.ts';
import type { Secrets } from '../../secrets.ts';
import { ContactFields } from '../schema.ts';
import { sealChange } from './sealed-overrides.rules.ts';
import { saveContacts } from './service.ts';

const StrictContact = strictThroughout(ContactFields);

type BatchResult = { id: string; created: boolean } | { error: string };

/**
 * Saves the valid contacts. Returns the result of each contact, in order: its id or its error. Fields that a contact does
 * not have are an error of it, unless `allowsUnknown` says that they are ignored.
 */
export async function saveContactBatch(
  db: Db,
  secrets: Secrets,
  orgId: string,
  contacts: unknown[],
  allowsUnknown: (fields: { path: string }[]) => Promise<boolean>,
): Promise<BatchResult[]> {
  const strict = contacts.map((contact) => StrictContact.safeParse(contact));
  const unknown = strict.flatMap(({ error }, nth) =>
    unknownPathsIn(error).map((path) => ({ path: ['body.contacts', nth, ...path].join('.') })),
  );
  const isLenient = unknown.length > 0 && (await allowsUnknown(unknown));
  const parsed = isLenient ? contacts.map((contact) => ContactFields.safeParse(contact)) : strict;
  const saves = parsed.flatMap(({ success, data }) => (success ? [{ change: sealChange(secrets, orgId, data) }] : []));
  const saved = (await saveContacts(db, orgId, saves)).values();
  return parsed.map(({ success, error }): BatchResult => {
    if (!success) return { error: describeFields(error) };
    const { value } = saved.next();
    if (value === undefined) throw new Error('every save has a result');
    return 'error' in value ? { error: value.error.message } : value;
  });
}

/** Says what is wrong with the fields of a contact. */
export const describeFields = ({ issues }: z.ZodError): string =>
  issues.flatMap(describeIssue).join('; ').slice(0, 1000).toWellFormed();

function describeIssue(issue: z.core.$ZodIssue): string[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [path.length === 0 ? message : `${path.join('.')}: ${message}`];
  const known = path.length === 0 ? Object.keys(ContactFields.shape) : [];
  return issue.keys.map((name) => `${[...path, name].join('.')} ${unknownName(nearestName(name, known))}`);
}
