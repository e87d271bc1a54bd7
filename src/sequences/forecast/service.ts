import { setImmediate as yieldToOthers } from 'node:timers/promises';
import TinyQueue from 'tinyqueue';
import { elementAt } from '../../collections/checked-access.ts';
import { compileFilter } from '../../contacts/filters/service.ts';
import type { Db } from '../../db/connect.ts';
import { type ChannelDefaults, type Channels, listChannels } from '../../deliveries/sending/channels.service.ts';
import { NOT_CONNECTED_REASON } from '../../deliveries/sending/message-sender.ts';
import { NIL_UUID } from '../../ids.ts';
import { hasEnded } from '../definitions/service.ts';
import type { SequenceRow } from '../definitions/shared.queries.ts';
import { type EffectiveGates, recipientDay } from '../gates/rules.ts';
import { countSentOn, findSenderRates } from '../gates/shared.queries.ts';
import type { SendRule } from '../sending/eligibility.shared.queries.ts';
import { getSendingPolicy, type SendingPolicy, sendRuleOf } from '../sending/policy.service.ts';
import { CHANNEL_OF, senderOf } from '../steps/content.rules.ts';
import { transitionsOf } from '../steps/rules.ts';
import { listAllSteps, type SequenceStep } from '../steps/shared.queries.ts';
import { incrementCount } from './counts.rules.ts';
import { type CourseStore, createCourseStore } from './course-store.ts';
import {
  type ContactSimulation,
  type PlannedDelivery,
  type PlannedStep,
  type SenderRates,
  type StepForecast,
  simulateNext,
} from './rules.ts';
import { type ForecastContact, findDatabaseTime, listForecastContacts } from './shared.queries.ts';

const PAGE_SIZE = 1_000;
/** How long contacts are simulated without a pause of the event loop. */
const MAX_BLOCKING_MS = 20;
const MS_PER_MINUTE = 60_000;

/** How a forecast is computed. */
interface ForecastOptions {
  channels: Channels;
  /** Called with the number of contacts of each page, once they are read, and with 0 in pauses of the simulation. */
  onContacts?: ((count: number) => Promise<void>) | undefined;
}

/**
 * Forecasts the sends, recipients and times of each step if nothing changed from now on. Nothing is sent. A one-off
 * sequence not started yet is treated as if it started now. A sequence that has ended sends nothing.
 */
export async function forecastSequence(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  { defaults, onContacts }: Pick<ForecastOptions, 'onContacts'> & { defaults: ChannelDefaults },
): Promise<{ steps: StepForecast[] }> {
  const channels = await listChannels(db, orgId, defaults);
  const steps: StepForecast[] = [];
  for await (const planned of planDeliveries(db, orgId, sequence, { channels, onContacts })) {
    const { index, at, skipped, heldBy } = planned;
    const step = stepAt(steps, index);
    if (skipped !== null) incrementCount(step.skipped, 'reason', skipped);
    else {
      step.recipients++;
      if (step.at === null || at < step.at) step.at = at;
      if (step.last_at === null || at > step.last_at) step.last_at = at;
      for (const gate of new Set(heldBy)) incrementCount(step.held, 'gate', gate);
    }
  }
  const present = (await listAllSteps(db, orgId, sequence.id)).filter((step) => !step.is_deleted);
  return { steps: present.map((_, index) => stepAt(steps, index)) };
}

function stepAt(steps: StepForecast[], index: number): StepForecast {
  steps[index] ??= { index, at: null, last_at: null, recipients: 0, skipped: [], held: [] };
  return steps[index];
}

/**
 * Yields every expected delivery of a sequence, sent or not. Contacts are simulated one by one unless sends a minute
 * are limited. With such a limit it throws unprocessable for more contacts than are simulated together.
 */
export async function* planDeliveries(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  { channels, onContacts }: ForecastOptions,
): AsyncGenerator<PlannedDelivery> {
  if (hasEnded(sequence)) return;
  const policy = await getSendingPolicy(db, orgId, sequence);
  const plan = planOf(orgId, await listAllSteps(db, orgId, sequence.id), policy, channels);
  const courses = simulationsOf(db, orgId, sequence, { ...plan, onContacts });
  if (policy.gates.sendsPerMinute === null) {
    for await (const course of courses) yield* simulateAlone(course, policy);
    return;
  }
  const senders = plan.steps.flatMap(({ sender }) => sender ?? []);
  const store = createCourseStore(policy.gates);
  for await (const course of courses) {
    if (course.eligibilities.some(({ status }) => status === 'sending')) store.add(course);
    else yield* simulateAlone(course, policy); // takes no slot of a sender
  }
  const rates = await findSenderRates(db, orgId, senders);
  yield* simulateTogether(store, policy, { rates, onPause: () => onContacts?.(0) });
}

interface ForecastPlan {
  gates: EffectiveGates;
  /** The steps following each position. */
  stepsFrom: Map<string | null, PlannedStep[]>;
  steps: PlannedStep[];
  rules: SendRule[];
  /** The index in `rules` of each step's rule. */
  ruleOfStep: number[];
}

function planOf(orgId: string, allSteps: SequenceStep[], policy: SendingPolicy, channels: Channels): ForecastPlan {
  const present = allSteps.filter((step) => !step.is_deleted);
  const rules: SendRule[] = [];
  const ruleOfStep = present.map(({ action }) => {
    const rule = sendRuleOf(orgId, action, policy, channels.has(CHANNEL_OF[action.type]) ? null : NOT_CONNECTED_REASON);
    const known = rules.findIndex(
      (one) => one.channel === rule.channel && one.isTransactional === rule.isTransactional,
    );
    return known === -1 ? rules.push(rule) - 1 : known;
  });
  const steps = present.map(({ action, delay_in_minutes }, index) => ({
    index,
    delay_in_minutes,
    isTransactional: elementAt(rules, elementAt(ruleOfStep, index)).isTransactional,
    sender: senderOf(action, channels.get(CHANNEL_OF[action.type]) ?? null),
  }));
  const stepsFrom = new Map(
    transitionsOf(allSteps).map(({ after, next }) => [after, next === null ? [] : steps.slice(present.indexOf(next))]),
  );
  return { gates: policy.gates, stepsFrom, steps, rules, ruleOfStep };
}

async function* simulationsOf(
  db: Db,
  orgId: string,
  sequence: SequenceRow,
  { gates, stepsFrom, rules, ruleOfStep, onContacts }: ForecastPlan & Pick<ForecastOptions, 'onContacts'>,
): AsyncGenerator<ContactSimulation> {
  const isWaiting = sequence.status === 'pending';
  const condition = isWaiting ? await compileFilter(db, orgId, sequence.filter) : null;
  const now = await findDatabaseTime(db);
  for (let after: string = NIL_UUID; ; ) {
    const page = await listForecastContacts(db, orgId, sequence.id, { rules, condition, now, after, limit: PAGE_SIZE });
    await onContacts?.(page.length);
    const days = page.map((prospect) => recipientDay(now, prospect, gates));
    const sent =
      gates.dailyCap === null
        ? new Map<string, number>()
        : await countSentOn(
            db,
            orgId,
            page.map(({ contact_id }, i) => ({ contact_id, ...elementAt(days, i) })),
          );
    for (const [i, prospect] of page.entries()) {
      const steps = stepsFrom.get(prospect.position === sequence.id ? null : prospect.position) ?? [];
      const sentOn = new Map([[days[i]?.date ?? '', sent.get(prospect.contact_id) ?? 0]]);
      yield simulationOf(prospect, { steps, ruleOfStep, sentOn, now });
    }
    if (page.length < PAGE_SIZE) return;
    after = elementAt(page, -1).contact_id;
  }
}

function simulationOf(
  {
    contact_id,
    phone_number,
    custom_data,
    anchor_at,
    held_until,
    held_by,
    has_slot,
    eligibilities: verdicts,
  }: ForecastContact,
  {
    steps,
    ruleOfStep,
    sentOn,
    now,
  }: Pick<ContactSimulation, 'steps' | 'sentOn'> & Pick<ForecastPlan, 'ruleOfStep'> & { now: Date },
): ContactSimulation {
  const due = held_until?.getTime() ?? anchor_at.getTime() + (steps[0]?.delay_in_minutes ?? 0) * MS_PER_MINUTE;
  return {
    contact_id,
    phone_number,
    custom_data,
    steps,
    eligibilities: steps.map(({ index }) => elementAt(verdicts, elementAt(ruleOfStep, index))),
    at: Math.max(due, now.getTime()),
    hasSlot: has_slot,
    heldBy: held_by === null ? [] : [held_by],
    sentOn,
  };
}

function* simulateAlone(course: ContactSimulation, { gates }: SendingPolicy): Generator<PlannedDelivery> {
  while (course.steps.length > 0) {
    const planned = simulateNext(course, gates, new Map());
    if (planned !== null) yield planned;
  }
}

/**
 * Simulates contacts in the order of time, as slots of a sender are reserved first come, first served. At equal times,
 * contacts are in the order of sending within a batch: by step, then by id, as they were read.
 */
async function* simulateTogether(
  store: CourseStore,
  { gates }: SendingPolicy,
  { rates, onPause }: { rates: SenderRates; onPause(): Promise<void> | undefined },
): AsyncGenerator<PlannedDelivery> {
  const queue = new TinyQueue(
    Array.from({ length: store.count() }, (_, number) => number),
    store.compare,
  );
  let pausedAt = performance.now();
  for (let number = queue.pop(); number !== undefined; number = queue.pop()) {
    if (performance.now() - pausedAt > MAX_BLOCKING_MS) {
      await yieldToOthers();
      await onPause();
      pausedAt = performance.now();
    }
    const course = store.load(number);
    const planned = simulateNext(course, gates, rates);
    if (planned !== null) yield planned;
    if (course.steps.length === 0) continue;
    store.save(number, course);
    queue.push(number);
  }
}
