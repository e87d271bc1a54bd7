import { batchByKey } from '../../concurrency/batch-by-key.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { isDatabaseUnavailable, isDeadlock, violatedUnique } from '../../db/failures.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { alreadyExists, conflict, type DomainError, invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { runAsOwner } from '../../processes/current-work.ts';
import { insertContacts, lockContacts, updateContacts } from '../queries.ts';
import {
  blankContact,
  type ContactChange,
  isSameContact,
  limitViolationOf,
  mergeContact,
  type StoredContact,
} from './merge.rules.ts';

/** Consecutive rounds without a result, as others write the same contacts, before giving up. */
const MAX_STALLS = 10;
const INSERT_LIMITS = { maxConcurrent: 2, maxBatchSize: 100, maxWaiting: 1_000 };

/** A change of the contact with this id or, without an id, with the e-mail or phone number. */
export interface ContactSave {
  id?: string;
  /** Without an id, looks for the contact by its e-mail alone: a phone number proves nothing about who somebody is. */
  isByEmail?: boolean;
  change: ContactChange;
}

export type SaveResult = { id: string; created: boolean } | { error: DomainError };

/** Inserts a contact. Resolves to false if another contact has its e-mail or phone number. */
type InsertContact = (db: Db, orgId: string, contact: StoredContact) => Promise<boolean>;

const insertAlone: InsertContact = async (db, orgId, contact) =>
  (await insertContacts(db, orgId, [contact])).length > 0;

/**
 * Returns a function that inserts contacts of concurrent calls by one statement, which costs a fraction of one for each.
 * A call resolves once its contact is committed. A call in a transaction inserts alone.
 */
export function createInsertTogether(pool: Db): InsertContact {
  const insert = batchByKey(INSERT_LIMITS, (orgId, contacts: StoredContact[]) =>
    runAsOwner(orgId, () => insertEach(pool, orgId, contacts)),
  );
  return (db, orgId, contact) => (db.isTransaction ? insertAlone(db, orgId, contact) : insert(orgId, contact));
}

/**
 * Inserts contacts of which none may affect another. If Postgres refuses the statement, which undoes it, each is inserted
 * alone and has its own result.
 */
async function insertEach(pool: Db, orgId: string, contacts: StoredContact[]): Promise<(boolean | Promise<boolean>)[]> {
  try {
    const inserted = new Set(await insertContacts(pool, orgId, contacts));
    return contacts.map(({ id }) => inserted.has(id));
  } catch (error) {
    if (contacts.length === 1 || (isDatabaseUnavailable(error) && !isDeadlock(error))) throw error;
    return contacts.map((contact) => insertAlone(pool, orgId, contact));
  }
}

/**
 * Saves one contact. A new one takes a single round trip; otherwise the change is merged into the contact with its
 * e-mail or phone number.
 */
export const saveContact = async (
  db: Db,
  orgId: string,
  change: ContactChange,
  insert: InsertContact = insertAlone,
): Promise<{ id: string }> => (await insertNew(db, orgId, change, insert)) ?? (await saveOne(db, orgId, { change }));

/** Saves the contact with this e-mail. Throws conflict if another contact has the phone number. */
export const saveContactByEmail = async (
  db: Db,
  orgId: string,
  change: ContactChange & { email: string },
): Promise<{ id: string }> =>
  (await insertNew(db, orgId, change, insertAlone)) ?? (await saveOne(db, orgId, { isByEmail: true, change }));

/** Returns undefined if a contact has the e-mail or phone number. */
async function insertNew(
  db: Db,
  orgId: string,
  change: ContactChange,
  insert: InsertContact,
): Promise<{ id: string } | undefined> {
  const contact = mergeContact(blankContact(newId()), change);
  const excess = limitViolationOf(contact);
  if (excess !== undefined) throw invalid(excess);
  return (await insert(db, orgId, contact)) ? { id: contact.id } : undefined;
}

/** Changes the contact with this id. Throws notFound, or conflict if another contact has the e-mail or phone number. */
export async function updateContact(db: Db, orgId: string, id: string, change: ContactChange): Promise<void> {
  await saveOne(db, orgId, { id, change });
}

async function saveOne(db: Db, orgId: string, save: ContactSave): Promise<{ id: string }> {
  const [result] = await saveContacts(db, orgId, [save]);
  if (result === undefined) throw new Error('a save has a result');
  if ('error' in result) throw result.error;
  return { id: result.id };
}

/**
 * Saves contacts in order, as if one by one, in a few statements. A contact that cannot be saved gets an error as its
 * result and does not affect the others.
 */
export function saveContacts(db: Db, orgId: string, saves: ContactSave[]): Promise<SaveResult[]> {
  return inTransaction(db, async (trx) => {
    const results: (SaveResult | undefined)[] = saves.map(() => undefined);
    // Another transaction may take an e-mail between our read and our write. It has committed by then, so the next read
    // sees it.
    let open = saves.map((save, index) => ({ ...save, index }));
    for (let stalls = 0; open.length > 0 && stalls < MAX_STALLS; ) {
      await saveRound(trx, orgId, open, results);
      const left = open.filter(({ index }) => results[index] === undefined);
      stalls = left.length === open.length ? stalls + 1 : 0;
      open = left;
    }
    return results.map(
      (result) => result ?? { error: conflict('The contact is being changed by another request: try again') },
    );
  });
}

interface PendingSave extends ContactSave {
  index: number;
}

/** A contact during a round: its state before, its state after, and the saves applied to it. */
interface ContactDraft {
  before: StoredContact | undefined;
  row: object | undefined;
  now: StoredContact;
  indexes: number[];
}

async function saveRound(
  trx: Trx,
  orgId: string,
  saves: PendingSave[],
  results: (SaveResult | undefined)[],
): Promise<void> {
  const drafts = createDrafts(await lockContacts(trx, orgId, addressesOf(saves)));
  for (const save of saves) {
    const refusal = drafts.apply(save);
    if (refusal === 'later') break; // depends on a change of this round
    if (refusal !== undefined) results[save.index] = { error: refusal };
  }
  const created = drafts.list().filter(({ before }) => before === undefined);
  const changed = drafts.list().filter(({ before, now }) => before !== undefined && !isSameContact(before, now));

  if (!(await writeChanges(trx, orgId, changed))) return;
  const written = new Set(
    await insertContacts(
      trx,
      orgId,
      created.map(({ now }) => now),
    ),
  );
  await announce(
    trx,
    orgId,
    changed.map(({ now, row }) => ({ type: 'contact-updated', subject_id: now.id, payload: { before: row ?? {} } })),
  );
  for (const { before, now, indexes } of drafts.list()) {
    if (before === undefined && !written.has(now.id)) continue;
    for (const [nth, index] of indexes.entries()) {
      results[index] = { id: now.id, created: before === undefined && nth === 0 };
    }
  }
}

/** Returns false if another transaction took an e-mail or phone number since the read. */
async function writeChanges(trx: Trx, orgId: string, drafts: ContactDraft[]): Promise<boolean> {
  const contacts = drafts.map(({ now }) => now);
  const isSafe = drafts.every(
    ({ before, now }) => before?.email === now.email && before.phone_number === now.phone_number,
  );
  if (isSafe) {
    await updateContacts(trx, orgId, contacts);
    return true;
  }
  try {
    await inSavepoint(trx, () => updateContacts(trx, orgId, contacts));
    return true;
  } catch (error) {
    if (violatedUnique(error) === undefined) throw error;
    return false;
  }
}

const addressesOf = (saves: ContactSave[]) => ({
  ids: saves.flatMap(({ id }) => id ?? []),
  emails: saves.flatMap(({ change }) => change.email ?? []),
  phones: saves.flatMap(({ change }) => change.phone ?? []),
});

const addressTaken = (field: string, message: string, { now }: ContactDraft) =>
  alreadyExists(message, { type: 'contact', id: now.id, field });

/** Tracks the contacts of a round by id, e-mail and phone number while saves are applied to them. */
function createDrafts(stored: (StoredContact & { row: object })[]) {
  const byId = new Map<string, ContactDraft>();
  const byEmail = new Map<string, ContactDraft>();
  const byPhone = new Map<string, ContactDraft>();
  const given = new Set<string>();

  const put = (draft: ContactDraft) => {
    byId.set(draft.now.id, draft);
    if (draft.now.email !== null) byEmail.set(draft.now.email, draft);
    if (draft.now.phone_number !== null) byPhone.set(draft.now.phone_number, draft);
  };
  for (const { row, ...contact } of stored) put({ before: contact, row, now: contact, indexes: [] });

  const targetOf = ({ id, isByEmail, change }: PendingSave): ContactDraft | DomainError => {
    const owners = {
      email: change.email === undefined ? undefined : byEmail.get(change.email),
      phone: change.phone === undefined ? undefined : byPhone.get(change.phone),
    };
    if (id !== undefined) {
      const target = byId.get(id);
      if (target === undefined) return notFound('contact');
      if (owners.email !== undefined && owners.email !== target)
        return addressTaken('email', 'contact.email: another contact has this e-mail', owners.email);
      if (owners.phone !== undefined && owners.phone !== target)
        return addressTaken('phone', 'contact.phone: another contact has this number', owners.phone);
      return target;
    }
    const isOwnerGiven = isByEmail === true || owners.email !== undefined;
    if (isOwnerGiven && owners.phone !== undefined && owners.email !== owners.phone) {
      return addressTaken(
        'phone',
        'contact.phone: this number belongs to another contact than this e-mail',
        owners.phone,
      );
    }
    const blank: ContactDraft = { before: undefined, row: undefined, now: blankContact(newId()), indexes: [] };
    return owners.email ?? owners.phone ?? blank;
  };

  return {
    list: () => [...byId.values()].filter(({ indexes }) => indexes.length > 0),
    /**
     * Applies one save. Returns the error if it cannot be applied, or `later` if it needs an address released in this
     * round.
     */
    apply(save: PendingSave): DomainError | 'later' | undefined {
      const { change } = save;
      if (given.has(`email ${change.email}`) || given.has(`phone ${change.phone}`)) return 'later';
      const target = targetOf(save);
      if (!('now' in target)) return target;
      const now = mergeContact(target.now, change);
      const excess = limitViolationOf(now);
      if (excess !== undefined) return invalid(excess);

      const { email, phone_number } = target.now;
      if (email !== null && email !== now.email) {
        byEmail.delete(email);
        given.add(`email ${email}`);
      }
      if (phone_number !== null && phone_number !== now.phone_number) {
        byPhone.delete(phone_number);
        given.add(`phone ${phone_number}`);
      }
      target.now = now;
      target.indexes.push(save.index);
      put(target);
      return undefined;
    },
  };
}
