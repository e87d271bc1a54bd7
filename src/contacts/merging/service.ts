import type { Db, Trx } from '../../db/connect.ts';
import { lockName, shareName } from '../../db/locks.ts';
import { inTransaction } from '../../db/transaction.ts';
import { conflict, type DomainError, invalid, mergedInto, notFound, refused } from '../../errors.ts';
import { announce } from '../../outbox/announcing.ts';
import { blockContact, listBlockedEmails } from '../blocklist/service.ts';
import { deleteContact, findContact, listStoredContacts, lockContacts, updateContacts } from '../queries.ts';
import { isSameContact, limitViolationOf, type StoredContact } from '../saving/merge.rules.ts';
import type { ContactMergePort, MergedPair, PersonAddresses } from './parts.port.ts';
import { findMerge, insertMerge, listMergesInto, listMergesOf } from './queries.ts';
import { countReferences } from './references.ts';
import { distinct, type MergedContact, type MergeRecord, mergedContactOf } from './rules.ts';

/** Of all kinds together. A merge holds its rows for about 0.1 ms each, and whoever needs them waits for it. */
const MAX_ROWS = 20_000;
const MERGES = { table: 'contact_merges', column: 'contact_id' };
/** The key of custom data with the e-mail that a visitor of the widget gives. */
const CLAIMED_EMAIL = 'unverified_email';
const BLOCKED = 'Merged with a blocked contact';

const mergeLock = (orgId: string) => `contact merges ${orgId}`;

/**
 * Waits for the merge of contacts under way, if there is one, and keeps others waiting until the transaction ends: what
 * it reads of contacts from now on stays theirs.
 */
export const holdMerges = (trx: Trx, orgId: string): Promise<void> => shareName(trx, mergeLock(orgId));

/** Returns the id of the contact that another one was merged into, or the same id. */
export const currentContactId = async (db: Db, orgId: string, id: string): Promise<string> =>
  (await findMerge(db, orgId, id))?.contact_id ?? id;

/** Returns the ids under which a contact is known: its present one, and those of the contacts merged into it. */
export const contactIdsOf = async (db: Db, orgId: string, id: string): Promise<string[]> => [
  id,
  ...(await listMergesInto(db, orgId, [id])).map(({ absorbed_id }) => absorbed_id),
];

/** Returns the contacts that merged ones are now, by the ids of these. Other ids are left out. */
export const findCurrentIds = async (db: Db, orgId: string, ids: string[]): Promise<Map<string, string>> =>
  ids.length === 0 ? new Map() : listMergesOf(db, orgId, ids);

/** Returns why there is no contact with an id: there never was one, or it was merged into another one. */
export async function missingContact(db: Db, orgId: string, id: string): Promise<DomainError> {
  const merge = await findMerge(db, orgId, id);
  return merge === undefined ? notFound('contact') : mergedInto(merge.contact_id);
}

/** What a merge does: the contact as it is then, and what becomes of the other one. */
export interface ContactMerge extends MergeRecord {
  contact: NonNullable<Awaited<ReturnType<typeof findContact>>>;
}

/**
 * Merges a contact into another one, which keeps its own values. All that belongs to the former is the latter's from now
 * on. An opt-out or a block of one of them holds for both. Repeated, it changes nothing and returns the same. Throws
 * notFound for an unknown contact, and conflict for what is too large.
 */
export async function mergeContacts(
  db: Db,
  port: ContactMergePort,
  orgId: string,
  pair: MergedPair,
): Promise<ContactMerge> {
  assertTwo(pair);
  return inTransaction(db, async (trx) => {
    await lockName(trx, mergeLock(orgId));
    const earlier = await findEarlier(trx, orgId, pair);
    if (earlier !== undefined) return earlier;
    const { fromId, toId } = pair;
    const locked = await lockContacts(trx, orgId, { ids: [fromId, toId], emails: [], phones: [], externalIds: [] });
    const plan = await planMerge(trx, port, orgId, pair, locked);
    const counts: Record<string, number> = {};
    for (const part of port.parts) Object.assign(counts, await part.move(trx, orgId, pair));
    await port.suppress(trx, orgId, plan.optOuts);
    for (const email of plan.record.blocked) await blockContact(trx, orgId, { email, reason: BLOCKED });
    const result: MergeRecord = { ...plan.record, moved: counts };
    await insertMerge(trx, orgId, pair, { further: plan.merged.further, result });
    await deleteContact(trx, orgId, fromId);
    await updateContacts(trx, orgId, [plan.merged.contact]);
    await announceMerge(trx, orgId, pair, plan);
    return { contact: await getStored(trx, orgId, toId), ...result };
  });
}

/** Returns what mergeContacts would do. Changes and locks nothing. */
export async function previewMerge(
  db: Db,
  port: ContactMergePort,
  orgId: string,
  pair: MergedPair,
): Promise<ContactMerge> {
  assertTwo(pair);
  return inTransaction(db, async (trx) => {
    const earlier = await findEarlier(trx, orgId, pair);
    if (earlier !== undefined) return earlier;
    const found = await listStoredContacts(trx, orgId, [pair.fromId, pair.toId]);
    const { merged, record } = await planMerge(trx, port, orgId, pair, found);
    const { http_action_overrides: _, ...fields } = merged.contact;
    const contact = { ...(await getStored(trx, orgId, pair.toId)), ...fields, phone: fields.phone_number };
    return { contact, ...record };
  });
}

function assertTwo({ fromId, toId }: MergedPair): void {
  if (fromId === toId) throw refused('from_id', 'must be another contact than the one in the path');
}

/** Returns what a merge did that was done before. Throws if one of the contacts was merged into a third one. */
async function findEarlier(trx: Trx, orgId: string, { fromId, toId }: MergedPair): Promise<ContactMerge | undefined> {
  const ofSurvivor = await findMerge(trx, orgId, toId);
  if (ofSurvivor !== undefined) throw mergedInto(ofSurvivor.contact_id);
  const earlier = await findMerge(trx, orgId, fromId);
  if (earlier === undefined) return undefined;
  if (earlier.contact_id !== toId) throw mergedInto(earlier.contact_id);
  return { contact: await getStored(trx, orgId, toId), ...earlier.result };
}

async function getStored(db: Db, orgId: string, id: string) {
  const contact = await findContact(db, orgId, id);
  if (contact === undefined) throw notFound('contact');
  return contact;
}

type KnownContact = Awaited<ReturnType<typeof lockContacts>>[number];

interface MergePlan {
  survivor: KnownContact;
  merged: MergedContact;
  record: MergeRecord;
  optOuts: Awaited<ReturnType<ContactMergePort['listMissingOptOuts']>>;
}

async function planMerge(
  trx: Trx,
  port: ContactMergePort,
  orgId: string,
  pair: MergedPair,
  contacts: KnownContact[],
): Promise<MergePlan> {
  const survivor = contacts.find(({ id }) => id === pair.toId);
  const absorbed = contacts.find(({ id }) => id === pair.fromId);
  if (survivor === undefined || absorbed === undefined) throw notFound('contact');
  const merged = mergedContactOf(survivor, absorbed);
  const excess = limitViolationOf(merged.contact);
  if (excess !== undefined) throw invalid(excess);
  const moved: Record<string, number> = {};
  for (const part of port.parts) Object.assign(moved, await part.count(trx, orgId, pair, MAX_ROWS));
  const earlier = await countReferences(trx, orgId, MERGES, { id: pair.fromId, limit: MAX_ROWS });
  assertBounded([...Object.values(moved), earlier]);
  const addresses = await addressesOf(trx, orgId, [survivor, absorbed]);
  const optOuts = await port.listMissingOptOuts(trx, orgId, addresses);
  const blocked = await listMissingBlocks(trx, orgId, addresses, [merged.contact, survivor, absorbed]);
  const { further, dropped } = merged;
  const suppressed = optOuts.map(({ channel, address }) => ({ channel, address }));
  return {
    survivor,
    merged,
    record: { further, dropped, moved, suppressed, blocked },
    optOuts,
  };
}

function assertBounded(counts: number[]): void {
  if (counts.reduce((sum, count) => sum + count, 0) > MAX_ROWS)
    throw conflict(`The contact to merge has more than ${MAX_ROWS} rows: merge the other way round`);
}

/** Returns all addresses of contacts, with those that they got by earlier merges. */
async function addressesOf(db: Db, orgId: string, contacts: StoredContact[]): Promise<PersonAddresses> {
  const ids = contacts.map(({ id }) => id);
  const all = [...contacts, ...(await listMergesInto(db, orgId, ids))];
  return {
    emails: distinct(all.map(({ email }) => email)),
    phones: distinct(all.map(({ phone_number }) => phone_number)),
  };
}

/**
 * Lists the e-mails to be blocked because another one of the two contacts is. What the merged contact claims as a visitor
 * is blocked where it has no e-mail.
 */
async function listMissingBlocks(
  db: Db,
  orgId: string,
  { emails }: PersonAddresses,
  contacts: [merged: StoredContact, ...others: StoredContact[]],
): Promise<string[]> {
  const [claimed, ...alsoClaimed] = contacts.map(({ custom_data }) => custom_data[CLAIMED_EMAIL]?.toLowerCase());
  const reached = emails.length > 0 ? emails : distinct([claimed]);
  const blocked = new Set(await listBlockedEmails(db, orgId, distinct([...emails, claimed, ...alsoClaimed])));
  return blocked.size === 0 ? [] : reached.filter((email) => !blocked.has(email));
}

async function announceMerge(trx: Trx, orgId: string, pair: MergedPair, { survivor, merged }: MergePlan) {
  const { row, further: _, ...before } = survivor;
  await announce(trx, orgId, [
    { type: 'contact-merged', subject_id: pair.toId, payload: { absorbed_id: pair.fromId } },
    ...(isSameContact(before, merged.contact)
      ? []
      : [{ type: 'contact-updated' as const, subject_id: pair.toId, payload: { before: row } }]),
  ]);
}
