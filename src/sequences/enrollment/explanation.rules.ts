import type { DeliveryStatus } from '../../deliveries/contract.ts';
import { type StoredStep, transitionsOf } from '../steps/rules.ts';

/**
 * The state of a step for an enrollment. `done`: its delivery has an outcome. `sending`: its delivery is under way.
 * `waiting`: it was deferred and will be tried again. `next`: it comes next. `not_reached`: it comes later. `passed`:
 * the enrollment went past without it, as it was added or deleted meanwhile. `canceled`: the enrollment ended before
 * it.
 */
export type StepState = 'done' | 'sending' | 'waiting' | 'next' | 'not_reached' | 'passed' | 'canceled';

interface EnrollmentPosition {
  status: 'active' | 'complete' | 'canceled' | 'exited';
  last_step_id: string | null;
  anchor_at: Date;
  held_until: Date | null;
}

interface StepDelivery {
  step_id: string | null;
  status: DeliveryStatus;
}

export interface ExplainedStep<Step, Delivery> {
  step: Step;
  /** The position among the present steps; null for a deleted step. */
  index: number | null;
  state: StepState;
  delivery: Delivery | null;
  due_at: Date | null;
}

const MS_PER_MINUTE = 60_000;

/**
 * Returns each step with its past or expected outcome for an enrollment. Deleted steps are included only if they have a
 * delivery.
 */
export function explainSteps<Step extends StoredStep, Delivery extends StepDelivery>(
  enrollment: EnrollmentPosition,
  steps: Step[],
  deliveries: Delivery[],
): ExplainedStep<Step, Delivery>[] {
  const isActive = enrollment.status === 'active';
  const next = transitionsOf(steps).find(({ after }) => after === enrollment.last_step_id)?.next ?? null;
  const nextPlace = next === null ? steps.length : steps.indexOf(next);
  let presentBefore = 0;

  return steps.flatMap((step, place) => {
    const delivery = deliveries.find(({ step_id }) => step_id === step.id) ?? null;
    if (step.is_deleted && delivery === null) return [];
    const state = stateOf(enrollment, delivery, step.is_deleted ? 'gone' : comparePosition(place, nextPlace));
    const isDue = isActive && (state === 'next' || state === 'waiting');
    const index = step.is_deleted ? null : presentBefore++;
    return [{ step, index, state, delivery, due_at: isDue ? dueAt(enrollment, step) : null }];
  });
}

const comparePosition = (place: number, nextPlace: number) =>
  place === nextPlace ? 'next' : place < nextPlace ? 'behind' : 'ahead';

function stateOf(
  { status }: EnrollmentPosition,
  delivery: StepDelivery | null,
  place: 'behind' | 'next' | 'ahead' | 'gone',
): StepState {
  if (delivery?.status === 'sending') return 'sending';
  const isOpen = delivery === null || delivery.status === 'queued' || delivery.status === 'held';
  if (!isOpen) return 'done';
  if (place === 'behind' || place === 'gone' || status === 'complete') return 'passed';
  if (status === 'canceled' || status === 'exited') return 'canceled';
  if (place === 'ahead') return 'not_reached';
  return delivery === null ? 'next' : 'waiting';
}

const dueAt = ({ anchor_at, held_until }: EnrollmentPosition, { delay_in_minutes }: StoredStep): Date =>
  held_until ?? new Date(anchor_at.getTime() + delay_in_minutes * MS_PER_MINUTE);
