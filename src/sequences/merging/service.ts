import type { ContactPart } from '../../contacts/merging/parts.port.ts';
import { countReferences } from '../../contacts/merging/references.ts';
import { cancelDeliveriesOfEnded, markChanged } from '../reconciliation/shared.queries.ts';
import { endMergedEnrollments, lockEnrollmentsOf, moveEnrollments, moveSends } from './queries.ts';
import { conflictsOf } from './rules.ts';

/**
 * What a merge of contacts moves of this domain. Sends that were claimed ahead for one of the contacts are taken back, and
 * their eligibility is evaluated again.
 */
export const enrollmentsOfContacts: ContactPart = {
  count: async (db, orgId, { fromId: id }, limit) => ({
    enrollments:
      (await countReferences(db, orgId, { table: 'enrollments', column: 'contact_id' }, { id, limit })) +
      (await countReferences(db, orgId, { table: 'enrollments', column: 'merged_contact_id' }, { id, limit })),
  }),
  async move(trx, orgId, pair) {
    const enrollments = await lockEnrollmentsOf(trx, orgId, [pair.fromId, pair.toId]);
    const conflicts = conflictsOf(enrollments, pair.toId);
    const endedIds = conflicts.map(({ endedId }) => endedId);
    await endMergedEnrollments(trx, orgId, pair.toId, endedIds);
    await cancelDeliveriesOfEnded(trx, orgId, { enrollmentIds: endedIds });
    await moveSends(trx, orgId, conflicts);
    const earlier = await moveEnrollments(trx, orgId, pair);
    const active = enrollments.filter(({ status }) => status === 'active').map(({ sequence_id }) => sequence_id);
    await markChanged(trx, orgId, [...new Set(active)]);
    return { enrollments: enrollments.filter(({ contact_id }) => contact_id === pair.fromId).length + earlier };
  },
};
