import type { Db } from '../../db/connect.ts';

/** What was sent, or not sent, to an enrollment: at most one delivery a step. */
export function listEnrollmentDeliveries(db: Db, orgId: string, enrollmentId: string) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'step_id', 'status', 'reason', 'attempts', 'sent_at'])
    .where('org_id', '=', orgId)
    .where('enrollment_id', '=', enrollmentId)
    .execute();
}
