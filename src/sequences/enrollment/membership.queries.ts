import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';

const REMOVED = 'removed from the sequence';

/** Ends a contact's enrollment, if it is active, and its waiting deliveries. */
export async function endEnrollment(trx: Trx, orgId: string, sequenceId: string, contactId: string): Promise<void> {
  const ended = await trx
    .updateTable('enrollments')
    .set({ status: 'exited', ended_at: sql<Date>`now()`, held_until: null, exit_reason: REMOVED })
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequenceId)
    .where('contact_id', '=', contactId)
    .where('status', '=', 'active')
    .returning('id')
    .execute();
  await cancelDeliveriesOfEnded(trx, orgId, { enrollmentIds: ended.map(({ id }) => id) });
}
