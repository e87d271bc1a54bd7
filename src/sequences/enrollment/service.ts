import { elementAt } from '../../collections/checked-access.ts';
import type { ContactFilter } from '../../contacts/filters/schema.ts';
import { compileFilter } from '../../contacts/filters/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { isSettled } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { ClaimedEvent } from '../../outbox/claim.ts';
import type { EventType } from '../../outbox/events.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import type { ReadingReaction } from '../../outbox/reactions.ts';
import { WAKE } from '../../temporal/contract.ts';
import { RUN_SEQUENCE } from '../contract.ts';
import { listAutoEnrollingSequences } from '../definitions/shared.queries.ts';
import {
  filterContacts,
  filterFormerContacts,
  findOpenRun,
  insertEnrollments,
  listMatchingContacts,
  updateRun,
} from './shared.queries.ts';

const PAGE_SIZE = 10_000;
const SETTLING_RETRY_MS = 1_000;

/** Wakes the sequence's workflow, so that it reads the database again. */
export function wakeSequence(trx: Trx, orgId: string, sequence: { id: string; name: string }): Promise<void> {
  const subject = { subjectId: sequence.id, summary: `Sequence "${sequence.name}"` };
  return enqueue(trx, orgId, signalWithStart(RUN_SEQUENCE, { orgId, sequenceId: sequence.id }, WAKE, subject));
}

/**
 * Returns a reaction that enrolls the contacts found by `find` in each continuous sequence. In an org without any, it costs
 * one read.
 */
const enrolling = <Type extends EventType>(
  find: (trx: Trx, orgId: string, filter: ContactFilter | null, events: ClaimedEvent<Type>[]) => Promise<string[]>,
): ReadingReaction<Type> => ({
  async read(reading, orgId, events) {
    const sequences = await listAutoEnrollingSequences(reading, orgId);
    if (sequences.length === 0) return undefined;
    return async (trx) => {
      for (const sequence of sequences) {
        const since = eventsSince(sequence, events);
        const contactIds = since.length === 0 ? [] : await find(trx, orgId, sequence.filter, since);
        const enrolled = await insertEnrollments(trx, orgId, { sequenceId: sequence.id, runId: null }, contactIds);
        if (enrolled.length > 0) await wakeSequence(trx, orgId, sequence);
      }
    };
  },
});

/** Enrolls new contacts in matching continuous sequences, if the sequence existed before the contact. */
export const enrollCreatedContacts = enrolling<'contact-created'>(async (trx, orgId, filter, events) => {
  const contactIds = events.map(({ subject_id }) => subject_id);
  return filterContacts(trx, orgId, contactIds, await compileFilter(trx, orgId, filter));
});

/** Enrolls changed contacts in a continuous sequence if they match its filter now and did not before. */
export const enrollChangedContacts = enrolling<'contact-updated'>(async (trx, orgId, filter, changes) => {
  if (filter === null) return [];
  const condition = await compileFilter(trx, orgId, filter);
  const contactIds = [...new Set(changes.map(({ subject_id }) => subject_id))];
  const matching = await filterContacts(trx, orgId, contactIds, condition);
  if (matching.length === 0) return [];
  const former = changes.map(({ payload }) => payload.before);
  const matchedBefore = countById(await filterFormerContacts(trx, former, condition));
  const changesOf = countById(changes.map(({ subject_id }) => subject_id));
  return matching.filter((id) => (matchedBefore.get(id) ?? 0) < (changesOf.get(id) ?? 0));
});

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

/** The result of enrolling a page. */
export interface PageEnrollment {
  enrolled: number;
  hasMore: boolean;
  /** Time until the next try, if a transaction may still add contacts of the first page. Null otherwise. */
  retryInMs: number | null;
}

/**
 * Enrolls one page of the contacts of a run: those who exist when a one-off sequence is started, or all who match where a
 * continuous one enrolls existing contacts. A page is enrolled once, however often this is called. Transactions begun before
 * the run are waited for: their contacts may become visible later, and the events of those are from before the sequence.
 */
export function enrollNextPage(
  db: Db,
  orgId: string,
  sequence: { id: string; filter: ContactFilter | null; is_continuous: boolean },
): Promise<PageEnrollment> {
  return inTransaction(db, async (trx) => {
    const run = await findOpenRun(trx, orgId, sequence.id);
    if (run === undefined) return { enrolled: 0, hasMore: false, retryInMs: null };
    if (run.enrolled_through === null && !(await isSettled(trx, run.created_at)))
      return { enrolled: 0, hasMore: false, retryInMs: SETTLING_RETRY_MS };
    const condition = await compileFilter(trx, orgId, sequence.filter);
    const createdUntil = sequence.is_continuous ? null : run.created_at;
    const page = { after: run.enrolled_through, createdUntil, limit: PAGE_SIZE };
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
    return { enrolled, hasMore, retryInMs: null };
  });
}
