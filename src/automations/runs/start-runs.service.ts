import type { Trx } from '../../db/connect.ts';
import { newId } from '../../ids.ts';
import { enqueue } from '../../outbox/outbox.ts';
import { awaitedEventTypes } from '../blocks/awaited-events.rules.ts';
import { satisfiesConstraint } from '../blocks/constraints.ts';
import type { Json, TriggerType } from '../blocks/schema.ts';
import { startQueuedRuns, wakeRun } from './run-queue.service.ts';
import {
  type ActiveVersion,
  insertListeners,
  insertReceivedEvents,
  insertRuns,
  listActiveVersions,
  listWaitingRuns,
  type NewRun,
  recordConstraintError,
} from './start-runs.queries.ts';
import type { TriggerCause } from './table.ts';

export { isTriggerTypeUsed } from './start-runs.queries.ts';

const MAX_CAUSATION_DEPTH = 10;

/** An event that may start workflows. */
export interface TriggerEvent {
  /** The same for the same event, and different for all others of its type. */
  key: string;
  occurredAt: Date;
  /** Length of the chain of runs causing it. */
  depth: number;
  /** `trigger.output`, without the fields common to all triggers. */
  output: { [key: string]: Json };
}

/**
 * Starts the org's active workflows of a trigger type, once for each event, if their constraint holds. Also passes the
 * events to runs waiting for them. Returns the ids of the new runs. With `only`, starts no other workflow.
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
  for (const version of versions)
    runs.push(...(await startRunsOfVersion(trx, orgId, version, { triggerEvents: triggered, cause, isTest: false })));
  const listeners = await insertReceivedEvents(
    trx,
    orgId,
    type,
    triggered.map(({ key, output }) => ({ event_id: key, output })),
  );
  const waiting = await listWaitingRuns(trx, orgId, listeners);
  await enqueue(trx, orgId, ...waiting.map((runId) => wakeRun(orgId, runId)));
  await startQueuedRuns(trx, orgId);
  return runs;
}

/** Inserts a run of a version for each event satisfying its constraint. Returns the ids of the new runs. */
export async function startRunsOfVersion(
  trx: Trx,
  orgId: string,
  version: ActiveVersion,
  { triggerEvents, cause, isTest }: { triggerEvents: TriggerEvent[]; cause: TriggerCause; isTest: boolean },
): Promise<string[]> {
  const wanted: NewRun[] = [];
  for (const { key, depth, output } of triggerEvents) {
    if (!(await shouldStart(trx, orgId, version, output))) continue;
    const isTooDeep = depth >= MAX_CAUSATION_DEPTH;
    wanted.push({
      id: newId(),
      automation_id: version.automation_id,
      version_id: version.version_id,
      status: isTooDeep ? 'failed' : 'idle',
      trigger_cause: cause,
      trigger_key: key,
      trigger_output: output,
      depth,
      is_test_run: isTest,
      error: isTooDeep
        ? `Workflow runs triggered each other ${MAX_CAUSATION_DEPTH} times in a row: the next run is not started`
        : null,
    });
  }
  const ids = await insertRuns(trx, orgId, wanted);
  const types = awaitedEventTypes(version.workflow_blocks);
  if (types.length === 0) return ids;
  await insertListeners(
    trx,
    orgId,
    ids.flatMap((run_id) => types.map((trigger_type) => ({ run_id, trigger_type }))),
  );
  return ids;
}

async function shouldStart(
  trx: Trx,
  orgId: string,
  { automation_id, trigger_constraints }: ActiveVersion,
  output: { [key: string]: Json },
): Promise<boolean> {
  try {
    return satisfiesConstraint(trigger_constraints, output);
  } catch (error) {
    await recordConstraintError(trx, orgId, automation_id, String(error));
    return false;
  }
}

/** Returns `trigger.output` for an event. */
export const triggerOutputOf = (
  type: TriggerType,
  { key, occurredAt, output }: TriggerEvent,
): { [key: string]: Json } => ({
  ...output,
  event_id: key,
  occurred_at: occurredAt.toISOString(),
  trigger_type: type,
});
