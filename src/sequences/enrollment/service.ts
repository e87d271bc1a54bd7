import { elementAt } from '../../checked-access.ts';
import { contactFilter } from '../../contacts/filters/condition.ts';
import type { CompositeFilter } from '../../contacts/filters/schema.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { ReadingReaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { RUN_SEQUENCE } from '../contract.ts';
import {
  filterContacts,
  filterFormerContacts,
  findOpenRun,
  insertEnrollments,
  listMatchingContacts,
  updateRun,
} from '../enrollments.queries.ts';
import { type AutoEnrollingSequence, listAutoEnrollingSequences } from '../queries.ts';

const PAGE_SIZE = 10_000;

/** Wakes the sequence's workflow, so that it reads the database again. */
export function wakeSequence(trx: Trx, orgId: string, sequence: { id: string; name: string }): Promise<void> {
  const subject = { subjectId: sequence.id, summary: `Sequence "${sequence.name}"` };
  return enqueue(trx, orgId, signalWithStart(RUN_SEQUENCE, { orgId, sequenceId: sequence.id }, WAKE, subject));
}

/** Enrolls new contacts in matching continuous sequences, if the sequence existed before the contact. */
export const enrollCreatedContacts: ReadingReaction<'contact-created'> = {
  async read(reading, orgId, events) {
    const sequences = await listAutoEnrollingSequences(reading, orgId);
    return sequences.length === 0 ? undefined : (trx) => enrollCreated(trx, orgId, sequences, events);
  },
};

async function enrollCreated(
  trx: Trx,
  orgId: string,
  sequences: AutoEnrollingSequence[],
  events: ClaimedEvent<'contact-created'>[],
): Promise<void> {
  for (const sequence of sequences) {
    const contactIds = eventsSince(sequence, events).map(({ subject_id }) => subject_id);
    if (contactIds.length === 0) continue;
    const condition = await contactFilter(trx, orgId, sequence.filter);
    const matching = await filterContacts(trx, orgId, contactIds, condition);
    const enrolled = await insertEnrollments(trx, orgId, { sequenceId: sequence.id, runId: null }, matching);
    if (enrolled.length > 0) await wakeSequence(trx, orgId, sequence);
  }
}

/** Enrolls changed contacts in a continuous sequence if they match its filter now and did not before. */
export const enrollChangedContacts: ReadingReaction<'contact-updated'> = {
  async read(reading, orgId, events) {
    const sequences = await listAutoEnrollingSequences(reading, orgId);
    return sequences.length === 0 ? undefined : (trx) => enrollChanged(trx, orgId, sequences, events);
  },
};

async function enrollChanged(
  trx: Trx,
  orgId: string,
  sequences: AutoEnrollingSequence[],
  events: ClaimedEvent<'contact-updated'>[],
): Promise<void> {
  for (const sequence of sequences) {
    const changes = eventsSince(sequence, events);
    if (sequence.filter === null || changes.length === 0) continue;
    const condition = await contactFilter(trx, orgId, sequence.filter);
    const contactIds = [...new Set(changes.map(({ subject_id }) => subject_id))];
    const matching = await filterContacts(trx, orgId, contactIds, condition);
    if (matching.length === 0) continue;
    const former = changes.map(({ payload }) => payload.before);
    const matchedBefore = countById(await filterFormerContacts(trx, former, condition));
    const changesOf = countById(changes.map(({ subject_id }) => subject_id));
    const changed = matching.filter((id) => (matchedBefore.get(id) ?? 0) < (changesOf.get(id) ?? 0));
    const enrolled = await insertEnrollments(trx, orgId, { sequenceId: sequence.id, runId: null }, changed);
    if (enrolled.length > 0) await wakeSequence(trx, orgId, sequence);
  }
}

/** Returns the events since the sequence was created. An event may be processed only after a newer sequence exists. */
const eventsSince = <Event extends { created_at: Date }>(
  { created_at }: { created_at: Date },
  events: Event[],
): Event[] => events.filter((event) => event.created_at >= created_at);

/** Several changes of one contact may come together: it newly matches unless it matched before each of them. */
function countById(ids: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/**
 * Enrolls one page of the contacts of a one-off sequence. Resolves to the number enrolled and whether there are more. A
 * page is enrolled once, however often this is called.
 */
export function enrollNextPage(
  db: Db,
  orgId: string,
  sequence: { id: string; filter: CompositeFilter | null },
): Promise<{ enrolled: number; hasMore: boolean }> {
  return inTransaction(db, async (trx) => {
    const run = await findOpenRun(trx, orgId, sequence.id);
    if (run === undefined) return { enrolled: 0, hasMore: false };
    const condition = await contactFilter(trx, orgId, sequence.filter);
    const page = { after: run.enrolled_through, createdBefore: run.created_at, limit: PAGE_SIZE };
    const contactIds = await listMatchingContacts(trx, orgId, condition, page);
    const { length: enrolled } = await insertEnrollments(
      trx,
      orgId,
      { sequenceId: sequence.id, runId: run.id },
      contactIds,
    );
    const hasMore = contactIds.length === PAGE_SIZE;
    await updateRun(
      trx,
      orgId,
      run.id,
      hasMore ? { enrolled_through: elementAt(contactIds, -1) } : { is_enrolled: true },
    );
    return { enrolled, hasMore };
  });
}
