import type { Recipient } from '../../deliveries/sending/quiet-hours.rules.ts';
import {
  canDefer,
  deferralOf,
  type EffectiveGates,
  recipientDay,
  reserveSlots,
  type SenderRate,
} from '../gates/rules.ts';

const MS_PER_MINUTE = 60_000;

/** What is expected of a step. */
export interface StepForecast {
  index: number;
  /** Time of the first send; null when nobody gets the step. */
  at: Date | null;
  /** Time of the last send. */
  last_at: Date | null;
  recipients: number;
  skipped: { reason: string; count: number }[];
  /** The number of recipients deferred by each gate before they get it. */
  held: { gate: string; count: number }[];
  /** The number of sends in each hour of the next seven days, without empty hours. Absent in forecasts of an older version. */
  hours?: { at: Date; recipients: number }[];
}

/** A step as known to the forecast. */
export interface PlannedStep {
  index: number;
  delay_in_minutes: number;
  isTransactional: boolean;
  /** The sending address or number. */
  sender: string | null;
}

/** A contact on its way through its remaining steps. */
export interface ContactSimulation extends Recipient {
  contact_id: string;
  steps: PlannedStep[];
  /** The contact's present eligibility for each of these steps. */
  eligibilities: { status: string; reason: string | null; gate: string | null }[];
  /** The time at which the next step is evaluated, never before its delay has passed. */
  at: number;
  /** A slot of its sender is reserved for it. */
  hasSlot: boolean;
  /** The gates that have deferred it since its last step. */
  heldBy: string[];
  /** Sends to the contact by day, including planned ones. */
  sentOn: Map<string, number>;
}

/** The planned outcome of a step for a contact. */
export interface PlannedDelivery {
  contact_id: string;
  index: number;
  at: Date;
  /** The reason for not sending it; null if it is sent. */
  skipped: string | null;
  /** The gates that deferred it before. */
  heldBy: string[];
}

/** The reserved slots of each sender. */
export type SenderRates = Map<string, SenderRate>;

/**
 * Evaluates a contact's next step once, by the rules of the send path. Returns the planned delivery and advances the
 * contact. Returns null if the step is deferred, having set the time of its next evaluation, or if no step is left.
 */
export function simulateNext(
  course: ContactSimulation,
  gates: EffectiveGates,
  rates: SenderRates,
): PlannedDelivery | null {
  const [step] = course.steps;
  const [eligibility] = course.eligibilities;
  if (step === undefined || eligibility === undefined) return null;
  const at = new Date(course.at);
  if (eligibility.status !== 'sending')
    return completeStep(course, step, { at, skipped: eligibility.reason }, eligibility.gate !== null);

  const isGated = !step.isTransactional && canDefer(gates);
  const deferral = isGated ? deferralAt(course, { at, sender: step.sender }, gates, rates) : null;
  if (deferral !== null) {
    course.heldBy.push(deferral.gate);
    course.at = deferral.until.getTime();
    return null;
  }
  if (gates.dailyCap !== null) {
    const { date } = recipientDay(at, course, gates);
    course.sentOn.set(date, (course.sentOn.get(date) ?? 0) + 1);
  }
  return completeStep(course, step, { at, skipped: null }, false);
}

function deferralAt(
  course: ContactSimulation,
  { at, sender }: { at: Date; sender: string | null },
  gates: EffectiveGates,
  rates: SenderRates,
) {
  const sentThatDay = gates.dailyCap === null ? 0 : (course.sentOn.get(recipientDay(at, course, gates).date) ?? 0);
  const deferral = deferralOf(at, course, gates, sentThatDay);
  if (deferral !== null) {
    course.hasSlot = false;
    return deferral;
  }
  if (gates.sendsPerMinute === null || sender === null || course.hasSlot) return null;
  const { slots, rate } = reserveSlots(at, rates.get(sender), gates.sendsPerMinute, 1);
  rates.set(sender, rate);
  const [until] = slots;
  if (until === undefined || until <= at) return null;
  course.hasSlot = true;
  return { gate: 'sends_per_minute', until };
}

function completeStep(
  course: ContactSimulation,
  step: PlannedStep,
  planned: Pick<PlannedDelivery, 'at' | 'skipped'>,
  isOver: boolean,
): PlannedDelivery {
  course.steps = isOver ? [] : course.steps.slice(1);
  course.eligibilities = course.eligibilities.slice(1);
  course.hasSlot = false;
  const [next] = course.steps;
  if (next !== undefined) course.at += next.delay_in_minutes * MS_PER_MINUTE;
  const heldBy = course.heldBy.splice(0);
  return { contact_id: course.contact_id, index: step.index, ...planned, heldBy };
}
