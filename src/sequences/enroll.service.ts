import type { CompositeFilter } from '../contacts/filters.schema.ts';
import { contactFilter } from '../contacts/filters.ts';
import type { Db } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import type { Reaction } from '../outbox/relay.ts';
import { RUN_SEQUENCE, WAKE } from './contract.ts';
import {
  filterContacts,
  filterFormerContacts,
  findOpenRun,
  insertEnrollments,
  listMatchingContacts,
  updateRun,
} from './enrollments.queries.ts';
import { listListeningSequences } from './queries.ts';

const PAGE = 10_000;

/** Has the sequence's workflow look again. */
export function wake(trx: Db, orgId: string, sequence: { id: string; name: string }): Promise<void> {
  const subject = { orgId, subjectId: sequence.id, summary: `Sequence "${sequence.name}"` };
  return enqueue(trx, orgId, signalWithStart(RUN_SEQUENCE, { orgId, sequenceId: sequence.id }, WAKE, subject));
}

/** Enrolls new contacts that match a continuous sequence. */
export const enrollCreatedContacts: Reaction = async (trx, orgId, events) => {
  const contactIds = events.map(({ subject_id }) => subject_id);
  for (const sequence of await listListeningSequences(trx, orgId)) {
    const condition = await contactFilter(trx, orgId, sequence.filter as CompositeFilter | null);
    const matching = await filterContacts(trx, orgId, contactIds, condition);
    const enrolled = await insertEnrollments(trx, orgId, sequence.id, null, matching);
    if (enrolled.length > 0) await wake(trx, orgId, sequence);
  }
};

/** Enrolls contacts that changed into a continuous sequence's filter: they match now and did not before. */
export const enrollChangedContacts: Reaction = async (trx, orgId, events) => {
  const former = events.map(({ payload }) => payload.before as object);
  const contactIds = [...new Set(events.map(({ subject_id }) => subject_id))];
  for (const sequence of await listListeningSequences(trx, orgId)) {
    if (sequence.filter === null) continue;
    const condition = await contactFilter(trx, orgId, sequence.filter as CompositeFilter);
    const matching = await filterContacts(trx, orgId, contactIds, condition);
    const matchedBefore = matching.length === 0 ? [] : await filterFormerContacts(trx, former, condition);
    const changed = matching.filter(
      (id) => !isIn(matchedBefore, events.filter((event) => event.subject_id === id).length, id),
    );
    const enrolled = await insertEnrollments(trx, orgId, sequence.id, null, changed);
    if (enrolled.length > 0) await wake(trx, orgId, sequence);
  }
};

/** Several changes of one contact may come together: it came into the filter unless it was in it before each of them. */
const isIn = (matchedBefore: string[], changes: number, id: string) =>
  matchedBefore.filter((before) => before === id).length === changes;

/**
 * Enrolls one page of the contacts that a one-off sequence is for. Resolves to whether there is more to enroll. A page is enrolled once,
 * however often this is called.
 */
export function enrollNextPage(
  db: Db,
  orgId: string,
  sequence: { id: string; filter: unknown },
): Promise<{ hasMore: boolean }> {
  return inTransaction(db, async (trx) => {
    const run = await findOpenRun(trx, orgId, sequence.id);
    if (run === undefined) return { hasMore: false };
    const condition = await contactFilter(trx, orgId, sequence.filter as CompositeFilter | null);
    const page = { after: run.enrolled_through, createdBefore: run.created_at, limit: PAGE };
    const contactIds = await listMatchingContacts(trx, orgId, condition, page);
    await insertEnrollments(trx, orgId, sequence.id, run.id, contactIds);
    const hasMore = contactIds.length === PAGE;
    await updateRun(
      trx,
      orgId,
      run.id,
      hasMore ? { enrolled_through: contactIds.at(-1) as string } : { is_enrolled: true },
    );
    return { hasMore };
  });
}
