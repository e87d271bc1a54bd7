import type { Db } from '../../db/connect.ts';
import { notFound } from '../../errors.ts';
import { getSequence } from '../definitions/service.ts';
import { listAllSteps } from '../steps/shared.queries.ts';
import { explainSteps } from './explanation.rules.ts';
import { findEnrollment, listEnrollmentDeliveries } from './shared.queries.ts';

/** Returns an enrollment with every step: its outcome and the reason, or its due time. Throws notFound. */
export async function explainEnrollment(db: Db, orgId: string, sequenceRef: string, enrollmentId: string) {
  const sequence = await getSequence(db, orgId, sequenceRef);
  const enrollment = await findEnrollment(db, orgId, sequence, enrollmentId);
  if (enrollment === undefined) throw notFound('enrollment');
  // Deliveries are read last: a send completed meanwhile is shown as done, never as still to come.
  const steps = await listAllSteps(db, orgId, sequence.id);
  const deliveries = await listEnrollmentDeliveries(db, orgId, enrollment.id);
  const explained = explainSteps(enrollment, steps, deliveries);
  return {
    ...enrollment,
    steps: explained.map(({ step, index, state, delivery, due_at }) => ({
      id: step.id,
      index,
      action_type: step.action.type,
      is_deleted: step.is_deleted,
      status: state,
      delivery,
      due_at,
    })),
  };
}
