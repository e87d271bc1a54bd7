import type { Db } from '../../db/connect.ts';
import { notFound } from '../../errors.ts';
import { findEnrollment } from '../enrollments.queries.ts';
import { getSequence } from '../service.ts';
import { listAllSteps } from '../steps.queries.ts';
import { listEnrollmentDeliveries } from './explanation.queries.ts';
import { explainSteps } from './explanation.rules.ts';

/** An enrollment with every step: what became of it and why, or when it is due. Throws notFound. */
export async function explainEnrollment(db: Db, orgId: string, sequenceRef: string, enrollmentId: string) {
  const sequence = await getSequence(db, orgId, sequenceRef);
  const enrollment = await findEnrollment(db, orgId, sequence, enrollmentId);
  if (enrollment === undefined) throw notFound('enrollment');
  // Deliveries are read last: a send that ends meanwhile shows as done, never as a step to come that has gone out.
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
