import type { Db, Trx } from '../db/connect.ts';
import { decodeCursor, settledBefore, toPage } from '../db/cursor.ts';
import { pageOfRange } from '../db/ranges.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { announce } from '../outbox/announcing.ts';
import type { Secrets } from '../secrets.ts';
import type { ContactDeliveriesPort } from './deliveries.port.ts';
import { prepareFilter } from './filters/service.ts';
import { eraseRefusedLines } from './imports/queries.ts';
import { listMergesInto } from './merging/queries.ts';
import { currentContactId, missingContact } from './merging/service.ts';
import {
  deleteContact,
  findContact,
  findHttpActionOverrides,
  insertContacts,
  listContactIdsByAddress,
  listContacts,
  listContactsById,
  lockContacts,
} from './queries.ts';
import { blankContact, type StoredContact } from './saving/merge.rules.ts';
import { openOverrides } from './saving/sealed-overrides.rules.ts';
import type { ContactRef, ListContacts, SearchContacts } from './schema.ts';
import { searchAllRows, searchFirstRows } from './search/queries.ts';
import { findContactsLike } from './search/text-search.service.ts';

export { listContactsById, lockContact } from './queries.ts';

const SEARCH_PAGE_SIZE = 100;

export async function getContact(db: Db, orgId: string, id: string) {
  const contact = await findContact(db, orgId, id);
  if (contact === undefined) throw await missingContact(db, orgId, id);
  return contact;
}

/** Returns the contact with an id, or else with an e-mail address, which is in lower case. */
export async function findContactBy(
  db: Db,
  orgId: string,
  { contact_id, email }: { contact_id?: string | undefined; email?: string | undefined },
) {
  const keys = { ids: contact_id === undefined ? [] : [contact_id], emails: email === undefined ? [] : [email] };
  const found = (await listContactIdsByAddress(db, orgId, { ...keys, phones: [] })).at(-1);
  return found === undefined ? undefined : findContact(db, orgId, found.id);
}

/** Returns the contact's values for HTTP actions, decrypted. */
export async function readContactOverrides(db: Db, secrets: Secrets, orgId: string, id: string) {
  const stored = await findHttpActionOverrides(db, orgId, await currentContactId(db, orgId, id));
  return stored === undefined ? undefined : openOverrides(secrets, orgId, stored);
}

/** Returns whether the contact has values for HTTP actions. */
export const hasContactOverrides = async (db: Db, orgId: string, id: string): Promise<boolean> =>
  (await findHttpActionOverrides(db, orgId, await currentContactId(db, orgId, id))) !== undefined;

/**
 * Deletes the contact with its enrollments; its messages stay, without their raw forms, and those that wait are not sent
 * any more. So is what is known of the contacts merged into it. Throws notFound.
 */
export function eraseContact(db: Db, deliveries: ContactDeliveriesPort, orgId: string, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    // Requests of messages under way have committed once the contact is locked, so their sends are ended too.
    const [contact] = await lockContacts(trx, orgId, { ids: [id], emails: [], phones: [], externalIds: [] });
    if (contact === undefined) throw await missingContact(trx, orgId, id);
    const merged = await listMergesInto(trx, orgId, [id]);
    await deliveries.endSends(trx, orgId, id);
    await deliveries.deleteRawForms(trx, orgId, id);
    await deleteContact(trx, orgId, id);
    for (const keys of [contact, ...merged]) await eraseRefusedLines(trx, orgId, keys);
    const ids = [id, ...merged.map(({ absorbed_id }) => absorbed_id)];
    await announce(
      trx,
      orgId,
      ids.map((subject_id) => ({ type: 'contact-deleted', subject_id, payload: {} })),
    );
  });
}

/**
 * Returns a page of the org's contacts, or of those with an address, by creation, or by update if the query asks for
 * updates.
 */
export const pageOfContacts = (db: Db, orgId: string, { q, ...query }: ListContacts) =>
  q === undefined
    ? pageOfRange(db, query, (page) => listContacts(db, orgId, query, page))
    : contactsLike(db, orgId, q, query.limit);

/** Returns the contacts most like a text, in one page. */
async function contactsLike(db: Db, orgId: string, text: string, limit: number) {
  const ids = (await findContactsLike(db, orgId, text, { limit })).map(({ id }) => id);
  const contacts = new Map((await listContactsById(db, orgId, ids)).map((contact) => [contact.id, contact]));
  return { items: ids.flatMap((id) => contacts.get(id) ?? []), next: null };
}

/**
 * Returns a page of the contacts matching a filter, by creation. If matches are dense, the first rows in order hold a
 * page. Otherwise the page comes from the set of all matches. Each query has a bound of its own, so neither needs an
 * estimate of the number of matches.
 */
export async function searchContacts(db: Db, orgId: string, { filter, cursor }: SearchContacts) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const page = { after, settledBefore: await settledBefore(db), limit: SEARCH_PAGE_SIZE };
  const compile = await prepareFilter(db, orgId, filter);
  const first = await searchFirstRows(db, orgId, compile('probes'), page);
  const rows = first.length > SEARCH_PAGE_SIZE ? first : await searchAllRows(db, orgId, compile('sets'), page);
  return toPage(rows, SEARCH_PAGE_SIZE, ({ created_at }) => created_at);
}

export interface ResolvedContact {
  ref: ContactRef;
  /** Undefined if the ref is an id unknown to the org. */
  contactId: string | undefined;
  /** Whether this transaction has created the contact. */
  isNew: boolean;
}

/** Creates a contact of whom nothing is known yet. Returns its id. */
export async function createBlankContact(trx: Trx, orgId: string): Promise<string> {
  const contact = blankContact(newId());
  await insertContacts(trx, orgId, [contact]);
  return contact.id;
}

/**
 * Finds the contact of each ref, in order. Unknown e-mails and phone numbers become contacts. `names`: of new contacts, by
 * their e-mails.
 */
export async function resolveContacts(
  trx: Trx,
  orgId: string,
  refs: ContactRef[],
  names: ReadonlyMap<string, string> = new Map(),
): Promise<ResolvedContact[]> {
  const addresses = {
    ids: refs.flatMap((ref) => ('id' in ref ? ref.id : [])),
    emails: [...new Set(refs.flatMap((ref) => ('email' in ref ? ref.email : [])))],
    phones: [...new Set(refs.flatMap((ref) => ('phone_number' in ref ? ref.phone_number : [])))],
  };
  const known = await listContactIdsByAddress(trx, orgId, addresses);
  let find = contactFinderOf(known);
  const missing: StoredContact[] = [
    ...addresses.emails
      .filter((email) => find({ email }) === undefined)
      .map((email) => ({ ...blankContact(newId()), email, name: names.get(email) ?? null })),
    ...addresses.phones
      .filter((phone_number) => find({ phone_number }) === undefined)
      .map((phone_number) => ({ ...blankContact(newId()), phone_number })),
  ];
  const created = new Set(missing.length === 0 ? [] : await insertContacts(trx, orgId, missing));
  const areAllNew = created.size === missing.length; // otherwise others were faster
  const added = areAllNew ? missing.map((contact) => ({ ...contact, named: contact.id })) : [];
  find = contactFinderOf(areAllNew ? [...known, ...added] : await listContactIdsByAddress(trx, orgId, addresses));
  return refs.map((ref) => {
    const contactId = find(ref);
    return { ref, contactId, isNew: contactId !== undefined && created.has(contactId) };
  });
}

function contactFinderOf(contacts: Awaited<ReturnType<typeof listContactIdsByAddress>>) {
  const byId = new Map(contacts.map(({ id, named }) => [named, id]));
  const byEmail = new Map(contacts.map(({ id, email }) => [email, id]));
  const byPhone = new Map(contacts.map(({ id, phone_number }) => [phone_number, id]));
  return (ref: ContactRef): string | undefined => {
    if ('email' in ref) return byEmail.get(ref.email);
    if ('phone_number' in ref) return byPhone.get(ref.phone_number);
    return byId.get(ref.id.toLowerCase());
  };
}
