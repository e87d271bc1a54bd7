import type { Db } from '../../db/connect.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { countByPosition, type PositionCount } from '../forecast/shared.queries.ts';
import { type StepTransition, type StoredStep, transitionsOf } from '../steps/rules.ts';
import { listAllSteps } from '../steps/shared.queries.ts';
import { countDeliveries, countEnrollments, countHeld } from './queries.ts';

const MAX_HELD_COUNTED = 10_000;

/** Returns the progress of a sequence, for each present step and over all enrollments. */
export async function getStats(db: Db, orgId: string, sequence: SequenceRow) {
  const steps = await listAllSteps(db, orgId, sequence.id);
  const [deliveries, standing, { active, complete, canceled, exited }, held] = await Promise.all([
    countDeliveries(db, orgId, sequence.id),
    countByPosition(db, orgId, sequence.id),
    countEnrollments(db, orgId, sequence.id),
    countHeld(db, orgId, sequence.id, MAX_HELD_COUNTED),
  ]);
  const due = countDueByStep(sequence.id, transitionsOf(steps), standing);
  const isCanceled = sequence.status === 'canceled';
  const none = { sent: 0, delivered: 0, failed: 0, skipped: 0, unknown: 0 };
  return {
    steps: steps
      .filter((step) => !step.is_deleted)
      .map(({ id }, index) => {
        const { step_id: _, ...counts } = deliveries.find(({ step_id }) => step_id === id) ?? { step_id: id, ...none };
        return { id, index, due: isCanceled ? 0 : (due.get(id) ?? 0), ...counts };
      }),
    enrollments: isCanceled
      ? { active: 0, complete, canceled: canceled + active, exited }
      : { active, complete, canceled, exited },
    held,
  };
}

/** Counts active enrollments by their next step. */
function countDueByStep(
  sequenceId: string,
  moves: StepTransition<StoredStep>[],
  standing: PositionCount[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { after, next } of moves) {
    const atPosition = standing.find(({ position }) => position === (after ?? sequenceId));
    if (next !== null && atPosition !== undefined) counts.set(next.id, (counts.get(next.id) ?? 0) + atPosition.count);
  }
  return counts;
}
