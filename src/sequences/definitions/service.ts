import { assertSavable, compileFilter } from '../../contacts/filters/service.ts';
import type { ContactRef } from '../../contacts/schema.ts';
import { resolveContacts } from '../../contacts/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { violatedUnique } from '../../db/failures.ts';
import { inSavepoint, inTransaction } from '../../db/transaction.ts';
import { alreadyExists, conflict, notFound } from '../../errors.ts';
import { isUuid, newId } from '../../ids.ts';
import { wakeSequence } from '../enrollment/service.ts';
import { cancelRun, filterContacts, insertEnrollments, insertRun } from '../enrollment/shared.queries.ts';
import type { Gates } from '../gates/schema.ts';
import { markChanged } from '../reconciliation/shared.queries.ts';
import type { AddContactsAnswer, CreateSequence, ListSequences, UpdateSequence } from '../schema.ts';
import { withFigures } from '../stats/figures.service.ts';
import { assertSendable, replaceSteps, type SaveStepsOptions } from '../steps/service.ts';
import { listStepsOf, saveSteps } from '../steps/shared.queries.ts';
import { hasEnded } from './ending.rules.ts';
import {
  findSequence,
  insertSequence,
  listSequences,
  type SequenceRow,
  transitionSequence,
  updateSequence as updateSequenceRow,
} from './shared.queries.ts';

/**
 * Creates a sequence. A continuous one is active at once; a one-off one waits to be started. Throws conflict for a used
 * custom_id.
 */
export function createSequence(
  db: Db,
  orgId: string,
  input: CreateSequence,
  options: SaveStepsOptions,
): Promise<{ id: string }> {
  return inTransaction(db, async (trx) => {
    await assertSavable(trx, orgId, input.filter, { path: 'body.filter' });
    await assertSendable(trx, orgId, input.steps, options);
    const id = newId();
    const { name, custom_id, is_continuous, filter, gates = {} } = input;
    await orConflict(trx, orgId, custom_id, () =>
      insertSequence(trx, {
        org_id: orgId,
        id,
        name,
        custom_id: custom_id ?? null,
        filter,
        gates,
        is_continuous,
        status: is_continuous ? 'active' : 'pending',
        started_at: is_continuous ? new Date() : null,
      }),
    );
    const steps = input.steps.map((step, position) => ({ ...step, id: newId(), position, is_deleted: false }));
    await saveSteps(trx, orgId, id, steps);
    if (is_continuous && input.enroll_existing)
      await insertRun(trx, { org_id: orgId, id: newId(), sequence_id: id, is_enrolled: false });
    if (is_continuous) await wakeSequence(trx, orgId, { id, name });
    return { id };
  });
}

/** Returns a sequence by its id or custom_id. */
export async function getSequence(db: Db, orgId: string, ref: string, options: { forUpdate?: boolean } = {}) {
  const sequence = await findSequence(db, orgId, ref, options);
  if (sequence === undefined) throw notFound('sequence');
  return sequence;
}

/** Adds the present steps to sequences, in one query for all. */
export async function withSteps(db: Db, orgId: string, sequences: SequenceRow[]) {
  const ids = sequences.map(({ id }) => id);
  const steps = Map.groupBy(await listStepsOf(db, orgId, ids), (step) => step.sequence_id);
  return sequences.map((sequence) => ({ ...sequence, steps: steps.get(sequence.id) ?? [] }));
}

/** Returns a page of sequences by creation with their present steps, and how far they are if the query asks for it. */
export const pageOfSequences = (db: Db, orgId: string, query: ListSequences) =>
  pageOf(db, query, async (page) => {
    const sequences = await withSteps(db, orgId, await listSequences(db, orgId, query, page));
    return query.include === 'stats' ? withFigures(db, orgId, sequences) : sequences;
  });

/**
 * Changes a sequence. An enrollment continues after the last step it did, so new steps apply only if not passed yet.
 * Throws notFound, conflict for a used custom_id or an ended sequence, and invalid for steps of another sequence.
 */
export function updateSequence(
  db: Db,
  orgId: string,
  { ref, ...changes }: UpdateSequence & { ref: string },
  options: SaveStepsOptions,
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref, { forUpdate: true });
    const { name, custom_id, filter, steps, gates } = changes;
    if (filter !== undefined || steps !== undefined || gates !== undefined) {
      if (hasEnded(sequence)) throw conflict(`A sequence that is ${sequence.status} cannot be changed`);
    }
    if (filter !== undefined) await assertSavable(trx, orgId, filter, { path: 'body.filter' });
    await orConflict(trx, orgId, custom_id, () =>
      updateSequenceRow(trx, orgId, sequence.id, {
        ...(name === undefined ? {} : { name }),
        ...(custom_id === undefined ? {} : { custom_id }),
        ...(filter === undefined ? {} : { filter: filter === null ? null : JSON.stringify(filter) }),
        ...(gates === undefined ? {} : gateChangesOf(sequence, gates)),
      }),
    );
    if (steps !== undefined) {
      await assertSendable(trx, orgId, steps, options);
      await replaceSteps(trx, orgId, sequence.id, steps);
    }
    await markChanged(trx, orgId, [sequence.id]);
    if (sequence.status === 'active') await wakeSequence(trx, orgId, sequence);
  });
}

function gateChangesOf({ gates: before, has_stale_turns }: SequenceRow, changes: Gates) {
  const gates = { ...before, ...changes };
  const hasOtherLimit = (gates.sends_per_minute ?? null) !== (before.sends_per_minute ?? null);
  return { gates: JSON.stringify(gates), has_stale_turns: has_stale_turns || hasOtherLimit };
}

/** Deletes and cancels a sequence. Its deliveries stay in the ledger. Throws notFound. */
export function deleteSequence(db: Db, orgId: string, ref: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref, { forUpdate: true });
    await updateSequenceRow(trx, orgId, sequence.id, {
      status: 'canceled',
      canceled_at: new Date(),
      deleted_at: new Date(),
    });
    await wakeSequence(trx, orgId, sequence);
  });
}

/**
 * Starts a one-off sequence: its matching contacts are enrolled, and it begins to send. Throws conflict if it cannot
 * start.
 */
export function startSequence(db: Db, orgId: string, ref: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref);
    if (sequence.is_continuous) throw conflict('A continuous sequence runs from its creation and cannot be started');
    const changes = { status: 'active', started_at: new Date() } as const;
    const isStarted = await transitionSequence(trx, orgId, { id: sequence.id, from: ['pending'] }, changes);
    if (!isStarted) throw conflict(`A sequence that is ${sequence.status} cannot be started`);
    await insertRun(trx, { org_id: orgId, id: newId(), sequence_id: sequence.id, is_enrolled: false });
    await wakeSequence(trx, orgId, sequence);
  });
}

/**
 * Pauses a sequence. Sending stops within one batch, and no enrollment is lost. Throws conflict unless the sequence is
 * active or paused already.
 */
export function pauseSequence(db: Db, orgId: string, ref: string): Promise<void> {
  const changes = { paused_at: new Date(), paused_reason: null };
  return changeStatus(db, orgId, ref, { from: 'active', to: 'paused', verb: 'paused', changes });
}

/** Resumes a sequence at the point of its pause. Throws conflict unless the sequence is paused or active already. */
export function resumeSequence(db: Db, orgId: string, ref: string): Promise<void> {
  const changes = { paused_at: null, paused_reason: null };
  return changeStatus(db, orgId, ref, { from: 'paused', to: 'active', verb: 'resumed', changes });
}

function changeStatus(
  db: Db,
  orgId: string,
  ref: string,
  {
    from,
    to,
    verb,
    changes,
  }: {
    from: 'active' | 'paused';
    to: 'active' | 'paused';
    verb: string;
    changes: Parameters<typeof transitionSequence>[3];
  },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref, { forUpdate: true });
    if (sequence.status === to) return;
    if (!(await transitionSequence(trx, orgId, { id: sequence.id, from: [from] }, { ...changes, status: to }))) {
      throw conflict(`A sequence that is ${sequence.status} cannot be ${verb}`);
    }
    await wakeSequence(trx, orgId, sequence);
  });
}

/**
 * Cancels a sequence permanently, or one run of a sequence by the run's id. Throws notFound, or conflict when it is
 * complete.
 */
export function cancelSequence(db: Db, orgId: string, ref: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const sequence = await findSequence(trx, orgId, ref, { forUpdate: true });
    if (sequence === undefined) return cancelOneRun(trx, orgId, ref);
    if (sequence.status === 'canceled') return;
    const changes = { status: 'canceled', canceled_at: new Date() } as const;
    const isCanceled = await transitionSequence(
      trx,
      orgId,
      { id: sequence.id, from: ['pending', 'active', 'paused'] },
      changes,
    );
    if (!isCanceled) throw conflict('A sequence that is complete cannot be canceled');
    await wakeSequence(trx, orgId, sequence);
  });
}

async function cancelOneRun(trx: Trx, orgId: string, runId: string): Promise<void> {
  const sequenceId = isUuid(runId) ? await cancelRun(trx, orgId, runId) : undefined;
  if (sequenceId === undefined) throw notFound('sequence or run');
  await markChanged(trx, orgId, [sequenceId]);
  await wakeSequence(trx, orgId, await getSequence(trx, orgId, sequenceId));
}

/** Enrolls each contact once, creating unknown ones. Contacts outside the sequence's filter are reported, not enrolled. */
export function addContacts(db: Db, orgId: string, ref: string, refs: ContactRef[]): Promise<AddContactsAnswer> {
  return inTransaction(db, async (trx) => {
    const sequence = await getSequence(trx, orgId, ref);
    if (!sequence.is_continuous) throw conflict('Contacts can only be added to a continuous sequence');
    if (hasEnded(sequence)) throw conflict(`Contacts cannot be added to a sequence that is ${sequence.status}`);

    const contacts = await resolveContacts(trx, orgId, refs);
    const known = contacts.flatMap(({ contactId }) => (contactId === undefined ? [] : [contactId]));
    const condition = await compileFilter(trx, orgId, sequence.filter);
    const matching = new Set(await filterContacts(trx, orgId, known, condition));
    const runId = newId();
    await insertRun(trx, { org_id: orgId, id: runId, sequence_id: sequence.id, is_enrolled: true });
    const enrolled = new Set(await insertEnrollments(trx, orgId, { sequenceId: sequence.id, runId }, [...matching]));
    if (enrolled.size > 0) await wakeSequence(trx, orgId, sequence);

    const skipped = contacts.flatMap(({ ref: contact, contactId }) => {
      if (contactId === undefined) return [{ contact, reason: 'there is no contact with this id' }];
      if (!matching.has(contactId)) return [{ contact, reason: "the contact is outside the sequence's filter" }];
      return enrolled.has(contactId) ? [] : [{ contact, reason: 'the contact was enrolled before' }];
    });
    return { run_id: runId, enrolled: enrolled.size, skipped };
  });
}

/** Writes a sequence with its custom_id, if it has one. Throws conflict if another one has it. */
async function orConflict(
  trx: Trx,
  orgId: string,
  customId: string | null | undefined,
  write: () => Promise<void>,
): Promise<void> {
  if (customId == null) return write();
  try {
    await inSavepoint(trx, write);
  } catch (error) {
    if (violatedUnique(error) !== 'sequences_custom_id_key') throw error;
    const message = `custom_id "${customId}" is used by another sequence`;
    const other = await findSequence(trx, orgId, customId);
    throw alreadyExists(message, { type: 'sequence', id: other?.id, field: 'custom_id' });
  }
}
