import { sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { ENDED_STATUS } from '../reconcile.queries.ts';

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
export async function endEnrollment(db: Db, orgId: string, sequenceId: string, contactId: string): Promise<void> {
  await sql`
    with leaving as (
      update enrollments set status = 'exited', ended_at = now(), held_until = null, exit_reason = ${REMOVED}
      where org_id = ${orgId} and sequence_id = ${sequenceId} and contact_id = ${contactId} and status = 'active'
      returning org_id, id
    )
    update deliveries as delivery set status = ${ENDED_STATUS}, reason = ${REMOVED}, updated_at = now()
    from leaving
    where delivery.org_id = leaving.org_id and delivery.enrollment_id = leaving.id and delivery.status in ('queued', 'held')
  `.execute(db);
}
