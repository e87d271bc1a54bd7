import { deleteUnanswered } from '../../actions/calls/http-call.ts';
import { listActionAddresses } from '../../actions/definitions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import { cutToPage } from '../../db/page-size.rules.ts';
import { inTransaction } from '../../db/transaction.ts';
import { releaseRequestKey } from '../../deliveries/messages/service.ts';
import { conflict, invalid, notFound, refused } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { enqueue } from '../../outbox/outbox.ts';
import type { Secrets } from '../../secrets.ts';
import { dedupeKeyOf } from '../actions/action.ts';
import type { ActionStep } from '../blocks/schema.ts';
import { knownOriginsOf } from '../credential-origins.rules.ts';
import { createSealer, sealInput } from '../credentials.ts';
import { stepAt } from '../interpreter/step-paths.rules.ts';
import { fieldsOf, type JsonObject } from '../json.rules.ts';
import { maskCredentials } from '../masking.rules.ts';
import { findCurrentVersion, keepAutomation } from '../queries.ts';
import { getWorkflow } from '../service.ts';
import { advanceRun, loadContext, nextActionOf, type RunContext } from './advance-run.service.ts';
import { workflowIdOfBatch } from './batches/contract.ts';
import { workflowIdOfRun } from './contract.ts';
import { finishRun } from './finish-run.service.ts';
import {
  countRuns,
  findFailedStep,
  findSteps,
  findWorkflowRun,
  insertRetry,
  listRetries,
  listRuns,
  listSteps,
  MAX_STEPS,
  reopenRun,
  reopenStep,
  setResumedAt,
} from './history.queries.ts';
import { resumeRun, startQueuedRuns, wakeRun } from './run-queue.service.ts';
import type { ListRuns, RetryRun } from './schema.ts';
import { endStep, isInBatch, lockRun, REDACTED_INPUT, type Run } from './shared.queries.ts';
import { insertListeners } from './start-runs.queries.ts';
import { startRunsOfVersion } from './start-runs.service.ts';
import { decodeStepCursor, encodeStepCursor } from './step-cursor.rules.ts';

export { findTriggerOutput } from './history.queries.ts';

/** Returns a page of a workflow's runs, newest first. Throws notFound. */
export async function pageOfRuns(db: Db, orgId: string, workflowId: string, query: ListRuns) {
  await getWorkflow(db, orgId, workflowId);
  const [runs, total] = await Promise.all([
    listRuns(db, orgId, workflowId, query),
    countRuns(db, orgId, workflowId, query),
  ]);
  const pages = Math.ceil(total / query.limit);
  return { runs, total_items: total, total_pages: pages, has_next_page: query.page < pages, current_page: query.page };
}

/** Returns a run with a page of its steps, with credentials masked. Throws notFound, and invalid for a foreign cursor. */
export async function getRun(
  db: Db,
  orgId: string,
  { workflowId, runId, cursor }: { workflowId: string; runId: string; cursor?: string | undefined },
) {
  const after = cursor === undefined ? undefined : decodeStepCursor(cursor);
  if (cursor !== undefined && after === undefined) throw invalid('cursor must be the `next` of an earlier answer');
  const run = await findWorkflowRun(db, orgId, workflowId, runId);
  if (run === undefined) throw notFound('run');
  const [listed, retries] = await Promise.all([listSteps(db, orgId, runId, after), listRetries(db, orgId, runId)]);
  const page = cutToPage(listed.slice(0, MAX_STEPS));
  const steps = await findSteps(
    db,
    orgId,
    runId,
    page.map(({ path }) => path),
  );
  const last = page.length < listed.length ? page.at(-1) : undefined;
  const { batch_id, left_batch, is_inline, ...shown } = run;
  return {
    next: last === undefined ? null : encodeStepCursor(last),
    ...shown,
    ran_in: ranIn(run),
    trigger_output: maskCredentials(run.trigger_output),
    retries,
    steps: steps.map((step) => ({ ...step, input: maskCredentials(step.input), output: maskCredentials(step.output) })),
  };
}

/** Returns where a run is to be found in Temporal. */
function ranIn({ id, status, run_started_at, ...run }: NonNullable<Awaited<ReturnType<typeof findWorkflowRun>>>) {
  if (run_started_at === null || status === 'idle') return null;
  if (run.is_inline && !run.left_batch) return { kind: 'inline' as const, workflow_id: null, batch_workflow_id: null };
  const batch = run.batch_id === null || run.is_inline ? null : workflowIdOfBatch(run.batch_id);
  if (batch !== null && !run.left_batch)
    return { kind: 'batch' as const, workflow_id: batch, batch_workflow_id: batch };
  return { kind: 'own' as const, workflow_id: workflowIdOfRun(id), batch_workflow_id: batch };
}

/** Cancels a run. A step in progress is still completed. Throws notFound, and conflict if the run has ended. */
export function cancelRun(db: Db, orgId: string, workflowId: string, runId: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const run = await lockWorkflowRun(trx, orgId, workflowId, runId);
    const { status } = run;
    if (status !== 'idle' && status !== 'in_progress') throw conflict(`The run is ${status} already`);
    await finishRun(trx, orgId, runId, { status: 'canceled' });
    if (status === 'in_progress' && !isInBatch(run)) await enqueue(trx, orgId, wakeRun(orgId, runId));
    await startQueuedRuns(trx, orgId);
  });
}

/**
 * Retries a failed run from its failed step, optionally with another input, or after the step if `skip` is set. `by` is
 * the id of the requesting API key. Throws notFound, conflict if the run did not fail at a step, and invalid for a
 * block without `skip`, or without the input of the last retry where that was redacted.
 */
export function retryRun(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { workflowId, runId, input, skip, reason, by }: RetryRun & { workflowId: string; runId: string; by: string },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const run = await lockWorkflowRun(trx, orgId, workflowId, runId);
    const failed = await findFailedStep(trx, orgId, runId);
    if (run.status !== 'failed' || failed === undefined)
      throw conflict(`The run is ${run.status}: only one that failed at a step can be retried`);
    const context = await loadContext(trx, orgId, run);
    const { definition } = context;
    const { path } = failed;
    const step = stepAt(definition.blocks, path);
    if (step?.$kind !== 'Action' && !skip)
      throw refused('skip', `the step ${failed.step_id} is no action, and would fail again: skip it`);
    if (!skip && input === undefined && failed.changed_input === REDACTED_INPUT)
      throw refused('input', 'the one of the last retry was redacted: give it again');
    await insertRetry(trx, orgId, runId, {
      path,
      step_id: failed.step_id,
      is_skip: skip,
      is_input_changed: !skip && input !== undefined,
      reason: reason ?? null,
      api_key_id: by,
    });
    await reopenRun(trx, orgId, runId);
    await insertListeners(
      trx,
      orgId,
      definition.awaitedTypes.map((trigger_type) => ({ run_id: runId, trigger_type })),
    );
    const action = skip || step?.$kind !== 'Action' ? undefined : step;
    if (action === undefined) await endStep(trx, orgId, runId, { path, status: 'skipped' });
    else {
      const changed = input && (await sealRetry(trx, secrets, context, { action, input }));
      await reopenStep(trx, orgId, runId, { path, input: changed?.input, origins: changed?.origins });
      const key = dedupeKeyOf(runId, path); // people have decided to call and to send again
      await deleteUnanswered(trx, orgId, key);
      await releaseRequestKey(trx, orgId, key);
    }
    const next =
      action === undefined
        ? await advanceRun(trx, { ...context, run: { ...run, status: 'in_progress' } }, path)
        : nextActionOf(path, action);
    if (next.kind === 'end' || next.kind === 'failed') return;
    await setResumedAt(trx, orgId, runId, next);
    await enqueue(trx, orgId, resumeRun(orgId, runId, next, definition.name));
  });
}

/** Returns the input given for a retry of an action with its credentials encrypted. Throws invalid as sealSteps. */
async function sealRetry(
  trx: Trx,
  secrets: Secrets,
  { orgId, run, definition }: RunContext,
  { action, input }: { action: ActionStep; input: ActionStep['input'] },
): Promise<{ input: JsonObject; origins: string[] | undefined }> {
  const origins = knownOriginsOf(definition.credentialOrigins, action);
  const sealed = sealInput(
    createSealer(secrets, orgId, run.automation_id),
    { ...action, input },
    { before: action, origins, actions: await listActionAddresses(trx, orgId), path: 'input' },
  );
  return { input: fieldsOf(sealed.input), origins: sealed.origins };
}

/**
 * Starts a new run with the trigger output of this one, on the workflow's current version. Returns its id. Throws
 * notFound.
 */
export function rerunWorkflow(db: Db, orgId: string, workflowId: string, runId: string): Promise<string> {
  return inTransaction(db, async (trx) => {
    await getWorkflow(trx, orgId, workflowId);
    const { trigger_output: output } = (await findWorkflowRun(trx, orgId, workflowId, runId)) ?? {};
    if (output === undefined) throw notFound('run');
    const current = await findCurrentVersion(trx, orgId, workflowId);
    if (current === undefined) throw notFound('workflow');
    const version = { ...current, automation_id: workflowId, version_id: current.id, trigger_constraints: null };
    const triggered = {
      key: `rerun/${newId()}`,
      occurredAt: new Date(),
      depth: 0,
      output,
    };
    const started = await startRunsOfVersion(trx, orgId, version, {
      triggerEvents: [triggered],
      cause: 'manual',
      isTest: false,
    });
    await startQueuedRuns(trx, orgId);
    const [startedId] = started;
    if (startedId === undefined) throw notFound('workflow');
    return startedId;
  });
}

async function lockWorkflowRun(trx: Trx, orgId: string, workflowId: string, runId: string): Promise<Run> {
  if (!(await keepAutomation(trx, orgId, workflowId))) throw notFound('run');
  const run = await lockRun(trx, orgId, runId);
  if (run?.automation_id !== workflowId) throw notFound('run');
  return run;
}
