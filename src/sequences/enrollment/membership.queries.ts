import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { cancelDeliveriesOfEnded } from '../reconciliation/shared.queries.ts';

const REMOVED = 'removed from the sequence';

/** Returns the id of a contact's enrollment in a sequence. */
export async function findEnrollmentOf(
  db: Db,
  orgId: string,
  sequenceId: string,
  contactId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('enrollments')
    .select('id')
    .where('org_id', '=', orgId)
    .where('sequence_id', '=', sequenceId)
    .where('contact_id', '=', contactId)
    .executeTakeFirst();
  return row?.id;
}

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
