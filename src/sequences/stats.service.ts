import type { Db } from '../db/connect.ts';
import type { SequenceRow } from './queries.ts';
import { movesOf } from './rules.ts';
import { countDeliveries, countDue, countEnrollments } from './stats.queries.ts';
import { listAllSteps } from './steps.queries.ts';

/** How far a sequence has come, for each present step and over all enrollments. */
export async function getStats(db: Db, orgId: string, sequence: SequenceRow) {
  const steps = await listAllSteps(db, orgId, sequence.id);
  const [deliveries, due, { active, complete, canceled }] = await Promise.all([
    countDeliveries(db, orgId, sequence.id),
    countDue(db, orgId, sequence.id, movesOf(steps)),
    countEnrollments(db, orgId, sequence.id),
  ]);
  const isCanceled = sequence.status === 'canceled';
  const none = { sent: 0, delivered: 0, failed: 0, skipped: 0, unknown: 0 };
  return {
    steps: steps
      .filter((step) => !step.is_deleted)
      .map(({ id }, index) => {
        const { step_id: _, ...counts } = deliveries.find(({ step_id }) => step_id === id) ?? { step_id: id, ...none };
        return { id, index, due: isCanceled ? 0 : (due.get(id) ?? 0), ...counts };
      }),
    enrollments: isCanceled ? { active: 0, complete, canceled: canceled + active } : { active, complete, canceled },
  };
}
