import { batchByKey } from '../../concurrency/batch-by-key.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { isContactGone, isDatabaseUnavailable, isDeadlock, violatedUnique } from '../../db/failures.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { conflict, DomainError, invalid } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { announce } from '../../outbox/announcing.ts';
import { runAsOwner } from '../../processes/current-work.ts';
import { missingContact } from '../merging/service.ts';
import { insertContacts, insertContactsSilently, lockContacts, updateContacts } from '../queries.ts';
import { type ContactDraft, type ContactSave, createDrafts, type PendingSave } from './drafts.ts';
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

export type SaveResult = { id: string; created: boolean } | { error: DomainError };

/** Inserts a contact. Resolves to false if another contact has its e-mail, phone number or external id. */
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
    const isLasting = contacts.length === 1 && !isContactGone(error);
    if (isLasting || (isDatabaseUnavailable(error) && !isDeadlock(error))) throw error;
    return contacts.map((contact) => insertAlone(pool, orgId, contact));
  }
}

/**
 * Saves one contact. A new one takes a single round trip; otherwise the change is merged into the contact with its
 * external id, e-mail or phone number.
 */
export const saveContact = async (
  db: Db,
  orgId: string,
  change: ContactChange,
  insert: InsertContact = insertAlone,
): Promise<{ id: string }> => (await insertNew(db, orgId, change, insert)) ?? (await saveOne(db, orgId, { change }));

/**
 * Saves the contact with this e-mail. A phone number proves nothing about who somebody is: throws conflict if another
 * contact has it.
 */
export const saveContactByEmail = async (
  db: Db,
  orgId: string,
  change: ContactChange & { email: string },
): Promise<{ id: string }> =>
  (await insertNew(db, orgId, change, insertAlone)) ?? (await saveOne(db, orgId, { by: 'email', change }));

/** Returns undefined if a contact has the e-mail, phone number or external id. */
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

/** Changes the contact with this id. Throws notFound, or conflict if another contact has what identifies one. */
export async function updateContact(db: Db, orgId: string, id: string, change: ContactChange): Promise<void> {
  try {
    await saveOne(db, orgId, { id, change });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'not_found') throw error;
    throw await missingContact(db, orgId, id);
  }
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
export function saveContacts(
  db: Db,
  orgId: string,
  saves: ContactSave[],
  writer: ContactWriter = ANNOUNCING,
): Promise<SaveResult[]> {
  return inTransaction(db, async (trx) => {
    const results: (SaveResult | undefined)[] = saves.map(() => undefined);
    // Another transaction may take an e-mail between our read and our write. It has committed by then, so the next read
    // sees it.
    let open = saves.map((save, index) => ({ ...save, index }));
    for (let stalls = 0; open.length > 0 && stalls < MAX_STALLS; ) {
      await saveRound(trx, orgId, { saves: open, results, writer });
      const left = open.filter(({ index }) => results[index] === undefined);
      stalls = left.length === open.length ? stalls + 1 : 0;
      open = left;
    }
    return results.map(
      (result) => result ?? { error: conflict('The contact is being changed by another request: try again') },
    );
  });
}

/** How contacts are written. */
interface ContactWriter {
  insert(trx: Trx, orgId: string, contacts: ContactDraft[]): Promise<string[]>;
  announceChanges(trx: Trx, orgId: string, contacts: ContactDraft[]): Promise<void>;
}

const ANNOUNCING: ContactWriter = {
  insert: (trx, orgId, created) =>
    insertContacts(
      trx,
      orgId,
      created.map(({ now }) => now),
    ),
  announceChanges: (trx, orgId, changed) =>
    announce(
      trx,
      orgId,
      changed.map(({ now, row }) => ({ type: 'contact-updated', subject_id: now.id, payload: { before: row ?? {} } })),
    ),
};

const SILENT: ContactWriter = {
  insert: (trx, orgId, created) =>
    insertContactsSilently(
      trx,
      orgId,
      created.map(({ now, createdAt }) => ({ ...now, created_at: createdAt?.toISOString() ?? null })),
    ),
  announceChanges: async () => undefined,
};

/** Saves contacts like saveContacts, as a part of what is long past: nothing reacts to it. */
export const saveContactsSilently = (trx: Trx, orgId: string, saves: ContactSave[]): Promise<SaveResult[]> =>
  saveContacts(trx, orgId, saves, SILENT);

interface Round {
  saves: PendingSave[];
  results: (SaveResult | undefined)[];
  writer: ContactWriter;
}

async function saveRound(trx: Trx, orgId: string, { saves, results, writer }: Round): Promise<void> {
  const drafts = createDrafts(await lockContacts(trx, orgId, keysOf(saves)));
  for (const save of saves) {
    const refusal = drafts.apply(save);
    if (refusal === 'later') break; // depends on a change of this round
    if (refusal !== undefined) results[save.index] = { error: refusal };
  }
  const created = drafts.list().filter(({ before }) => before === undefined);
  const changed = drafts.list().filter(({ before, now }) => before !== undefined && !isSameContact(before, now));

  if (!(await writeChanges(trx, orgId, changed))) return;
  const written = new Set(await writer.insert(trx, orgId, created));
  await writer.announceChanges(trx, orgId, changed);
  for (const { before, now, indexes } of drafts.list()) {
    if (before === undefined && !written.has(now.id)) continue;
    for (const [nth, index] of indexes.entries()) {
      results[index] = { id: now.id, created: before === undefined && nth === 0 };
    }
  }
}

/** Returns false if another transaction took an e-mail, phone number or external id since the read. */
async function writeChanges(trx: Trx, orgId: string, drafts: ContactDraft[]): Promise<boolean> {
  const contacts = drafts.map(({ now }) => now);
  const isSafe = drafts.every(
    ({ before, now }) =>
      before?.email === now.email && before.phone_number === now.phone_number && before.external_id === now.external_id,
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

const keysOf = (saves: ContactSave[]) => ({
  ids: saves.flatMap(({ id }) => id ?? []),
  emails: saves.flatMap(({ change }) => change.email ?? []),
  phones: saves.flatMap(({ change }) => change.phone ?? []),
  externalIds: saves.flatMap(({ change }) => change.external_id ?? []),
});
