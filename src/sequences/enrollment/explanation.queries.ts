import type { Db } from '../../db/connect.ts';

/** Returns the deliveries of an enrollment, sent or not: at most one for each step. */
export function listEnrollmentDeliveries(db: Db, orgId: string, enrollmentId: string) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'step_id', 'status', 'reason', 'attempts', 'sent_at'])
    .where('org_id', '=', orgId)
    .where('enrollment_id', '=', enrollmentId)
    .execute();
}
