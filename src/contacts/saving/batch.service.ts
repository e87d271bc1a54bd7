import type { Db } from '../../db/connect.ts';
import type { Secrets } from '../../secrets.ts';
import { ContactFields } from '../schema.ts';
import { sealChange } from './sealed-overrides.rules.ts';
import { saveContacts } from './service.ts';

/** The contacts of a batch are always strict: each has its own answer. */
const Contact = ContactFields.strict();

type BatchResult = { id: string; created: boolean } | { error: string };

/** Saves the valid contacts. Returns the result of each contact, in order: its id or its error. */
export async function saveContactBatch(
  db: Db,
  secrets: Secrets,
  orgId: string,
  contacts: unknown[],
): Promise<BatchResult[]> {
  const parsed = contacts.map((contact) => Contact.safeParse(contact));
  const saves = parsed.flatMap(({ success, data }) => (success ? [{ change: sealChange(secrets, orgId, data) }] : []));
  const saved = (await saveContacts(db, orgId, saves)).values();
  return parsed.map(({ success, error }): BatchResult => {
    if (!success) return { error: error.issues.map(describeIssue).join('; ').slice(0, 1000).toWellFormed() };
    const { value } = saved.next();
    if (value === undefined) throw new Error('every save has a result');
    return 'error' in value ? { error: value.error.message } : value;
  });
}

const describeIssue = ({ path, message }: { path: PropertyKey[]; message: string }) =>
  path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`;
