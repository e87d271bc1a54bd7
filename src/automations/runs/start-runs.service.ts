import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Trx } from '../../db/connect.ts';
import { messageOf } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { type Allowance, newAllowance, satisfiesConstraint } from '../../json-logic/json-logic.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import { startQueuedRuns, wakeRun } from './run-queue.service.ts';
import {
  type ActiveVersion,
  countListeningRuns,
  insertListeners,
  insertReceivedEvents,
  insertRuns,
  listActiveVersions,
  listListeners,
  listWaitingRuns,
  type NewRun,
  type ReceivedEvents,
  recordConstraintErrors,
} from './start-runs.queries.ts';
import type { TriggerCause } from './table.ts';
import { getVersion } from './versions.service.ts';

export { isTriggerTypeUsed } from './start-runs.queries.ts';

const MAX_CAUSATION_DEPTH = 10;
const TOO_DEEP = `Workflow runs triggered each other ${MAX_CAUSATION_DEPTH} times in a row: the next run is not started`;
const MAX_LISTENING_RUNS = 10_000;
const TOO_MANY_LISTENERS = `${MAX_LISTENING_RUNS} runs of the org wait for events already: the next run is not started`;

/** How long constraints are evaluated without a pause of the event loop. */
const MAX_BLOCKING_MS = 20;
/** Evaluating constraints that read so many values takes about a second. */
const MAX_VALUES_AT_ONCE = 10_000_000;
/** Events times the runs that receive them: each is a row. */
const MAX_RECEIPTS_AT_ONCE = 100_000;
/** Up to so many events have no budget together: the allowances of each are small enough. */
export const MAX_UNMETERED_EVENTS = 10;
const TOO_MUCH_AT_ONCE = 'The constraints of the workflows read too many values for so many events at once';

/** An event that may start workflows. */
export interface TriggerEvent {
  /** The same for the same event, and different for all others of its type. */
  key: string;
  occurredAt: Date;
  /** Length of the chain of runs causing it. */
  depth: number;
  /** The id of the only run that it starts. Absent: a new one. */
  runId?: string;
  /** `trigger.output`, without the fields common to all triggers. */
  output: { [key: string]: Json };
}

/**
 * Starts the org's active workflows of a trigger type, once for each event, if their constraint holds. Also passes the
 * events to runs waiting for them, other than those that they start. Returns the ids of the new runs. With `only`, starts
 * no other workflow.
 */
export async function startRuns(
  trx: Trx,
  orgId: string,
  type: TriggerType,
  { triggerEvents, cause, only }: { triggerEvents: TriggerEvent[]; cause: TriggerCause; only?: string | undefined },
): Promise<string[]> {
  const triggered = triggerEvents.map((triggerEvent) => ({
    ...triggerEvent,
    output: triggerOutputOf(type, triggerEvent),
  }));
  const versions = await listActiveVersions(trx, orgId, type, only);
  const runs: string[] = [];
  const given = {
    triggerEvents: triggered,
    allowances: triggered.map(() => newAllowance()),
    budget: { values: MAX_VALUES_AT_ONCE },
    cause,
    isTest: false,
  };
  for (const version of versions) {
    runs.push(...(await startRunsOfVersion(trx, orgId, version, given)));
    await yieldToOthers();
  }
  // the keys of a webhook are those of one workflow
  const received = triggered.map(({ key, output }) => ({
    event_id: only === undefined ? key : `${only}/${key}`,
    key,
    output,
  }));
  await wakeListeningRuns(trx, orgId, type, { triggerEvents: received, only });
  await startQueuedRuns(trx, orgId);
  return runs;
}

/** Stores events for the runs that may wait for their type, and wakes those that do. */
async function wakeListeningRuns(
  trx: Trx,
  orgId: string,
  type: TriggerType,
  { triggerEvents, only }: Pick<ReceivedEvents, 'triggerEvents' | 'only'>,
): Promise<void> {
  const runIds = await listListeners(trx, orgId, type);
  if (runIds.length === 0) return;
  if (triggerEvents.length > MAX_UNMETERED_EVENTS && runIds.length * triggerEvents.length > MAX_RECEIPTS_AT_ONCE)
    throw new Error('Too many runs wait for so many events at once');
  const receivers = await insertReceivedEvents(trx, orgId, { type, triggerEvents, only, runIds });
  const waiting = await listWaitingRuns(trx, orgId, receivers);
  await enqueue(trx, orgId, ...waiting.map((runId) => wakeRun(orgId, runId)));
}

interface NewRuns {
  triggerEvents: TriggerEvent[];
  /** What the constraints of all workflows may cost for each event. */
  allowances?: Allowance[];
  /** What the constraints of all workflows may read for all events together. */
  budget?: { values: number };
  cause: TriggerCause;
  isTest: boolean;
}

/** Inserts a run of a version for each event satisfying its constraint. Returns the ids of the new runs. */
export async function startRunsOfVersion(
  trx: Trx,
  orgId: string,
  version: ActiveVersion,
  { cause, isTest, ...given }: NewRuns,
): Promise<string[]> {
  const started = await eventsThatStart(trx, orgId, version, given);
  if (started.length === 0) return [];
  const { awaitedTypes: types } = await getVersion(trx, orgId, version.version_id);
  const room = types.length === 0 ? started.length : await roomForListeners(trx, orgId);
  const wanted = started.map(({ key, depth, output, runId }, n): NewRun => {
    const error = depth >= MAX_CAUSATION_DEPTH ? TOO_DEEP : n >= room ? TOO_MANY_LISTENERS : null;
    return {
      id: runId ?? newId(),
      automation_id: version.automation_id,
      version_id: version.version_id,
      status: error === null ? 'idle' : 'failed',
      trigger_cause: cause,
      trigger_key: key,
      trigger_output: output,
      depth,
      is_test_run: isTest,
      error,
    };
  });
  const refused = new Set(wanted.flatMap(({ id, error }) => (error === null ? [] : [id])));
  const ids = await insertRuns(trx, orgId, wanted);
  const listening = ids.filter((id) => !refused.has(id));
  await insertListeners(
    trx,
    orgId,
    listening.flatMap((run_id) => types.map((trigger_type) => ({ run_id, trigger_type }))),
  );
  return ids;
}

/** Returns how many more runs of the org may wait for events: each event is noted for each of them. */
const roomForListeners = async (trx: Trx, orgId: string): Promise<number> =>
  MAX_LISTENING_RUNS - (await countListeningRuns(trx, orgId, MAX_LISTENING_RUNS));

/** Returns the events that satisfy the constraint of a version. Throws if many events together read too many values. */
async function eventsThatStart(
  trx: Trx,
  orgId: string,
  { automation_id, trigger_constraints }: ActiveVersion,
  { triggerEvents, allowances = [], budget }: Omit<NewRuns, 'cause' | 'isTest'>,
): Promise<TriggerEvent[]> {
  const started: TriggerEvent[] = [];
  const errors: unknown[] = [];
  let pausedAt = performance.now();
  for (const [n, event] of triggerEvents.entries()) {
    if (performance.now() - pausedAt > MAX_BLOCKING_MS) {
      await yieldToOthers();
      pausedAt = performance.now();
    }
    const allowance = allowances[n] ?? newAllowance();
    const { values } = allowance;
    try {
      if (satisfiesConstraint(trigger_constraints, event.output, allowance)) started.push(event);
    } catch (error) {
      errors.push(error);
    }
    if (budget !== undefined) budget.values -= values - allowance.values;
    if (budget !== undefined && budget.values < 0 && triggerEvents.length > MAX_UNMETERED_EVENTS)
      throw new Error(TOO_MUCH_AT_ONCE);
  }
  if (errors.length > 0)
    await recordConstraintErrors(trx, orgId, automation_id, {
      count: errors.length,
      message: messageOf(errors.at(-1)),
    });
  return started;
}

/** Returns `trigger.output` for an event. */
export const triggerOutputOf = (
  type: TriggerType,
  { key, occurredAt, output }: Pick<TriggerEvent, 'key' | 'occurredAt' | 'output'>,
): { [key: string]: Json } => ({
  ...output,
  event_id: key,
  occurred_at: occurredAt.toISOString(),
  trigger_type: type,
});
