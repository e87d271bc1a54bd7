import type { ContactPart } from '../../contacts/merging/parts.port.ts';
import { countOf, moveReferences } from '../../contacts/merging/references.ts';
import { cancelDeliveriesOfEnded, markChanged } from '../reconciliation/shared.queries.ts';
import { endMergedEnrollments, lockEnrollmentsOf, moveSends } from './queries.ts';
import { conflictsOf } from './rules.ts';

const PRESENT = { table: 'enrollments', column: 'contact_id' };
const ENDED_BY_MERGE = { table: 'enrollments', column: 'merged_contact_id' };

/**
 * What a merge of contacts moves of this domain. Sends that were claimed ahead for one of the contacts are taken back, and
 * their eligibility is evaluated again.
 */
export const enrollmentsOfContacts: ContactPart = {
  count: countOf({ enrollments: [PRESENT, ENDED_BY_MERGE] }),
  async move(trx, orgId, pair) {
    const enrollments = await lockEnrollmentsOf(trx, orgId, [pair.fromId, pair.toId]);
    const conflicts = conflictsOf(enrollments, pair.toId);
    const endedIds = conflicts.map(({ endedId }) => endedId);
    await endMergedEnrollments(trx, orgId, pair.toId, endedIds);
    await cancelDeliveriesOfEnded(trx, orgId, { enrollmentIds: endedIds });
    await moveSends(trx, orgId, conflicts);
    await moveReferences(trx, orgId, PRESENT, pair);
    const earlier = await moveReferences(trx, orgId, ENDED_BY_MERGE, pair);
    const active = enrollments.filter(({ status }) => status === 'active').map(({ sequence_id }) => sequence_id);
    await markChanged(trx, orgId, [...new Set(active)]);
    return { enrollments: enrollments.filter(({ contact_id }) => contact_id === pair.fromId).length + earlier };
  },
};
