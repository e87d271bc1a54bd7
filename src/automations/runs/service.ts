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
import type { ActionStep, Json, Step } from '../blocks/schema.ts';
import { knownOriginsOf } from '../credential-origins.rules.ts';
import { createSealer, sealInput } from '../credentials.ts';
import { stepAt } from '../interpreter/step-paths.rules.ts';
import { fieldsOf, type JsonObject } from '../json.rules.ts';
import { maskCredentials } from '../masking.rules.ts';
import { findCurrentVersion, keepAutomation } from '../queries.ts';
import { getWorkflow } from '../service.ts';
import { problemsOfInput } from '../validation/steps.ts';
import { advanceRun, attemptsOf, loadContext, nextActionOf, type RunContext } from './advance-run.service.ts';
import { workflowIdOfBatch } from './batches/contract.ts';
import { workflowIdOfRun } from './contract.ts';
import { finishRun } from './finish-run.service.ts';
import {
  countRuns,
  findFailedStep,
  findSteps,
  findUnfinishedStep,
  findWorkflowRun,
  insertRetry,
  listReachedSteps,
  listRetries,
  listRuns,
  listSteps,
  MAX_STEPS,
  reopenRun,
  reopenStep,
  setResumedAt,
} from './history.queries.ts';
import { branchReasonOf, unreachedSteps } from './overview/explanations.rules.ts';
import { waitingForOf } from './overview/waiting.rules.ts';
import { resumeRun, startQueuedRuns, wakeRun } from './run-queue.service.ts';
import type { ListRuns, RerunRun, RetryRun } from './schema.ts';
import { endStep, findRun, isInBatch, lockRun, REDACTED_INPUT, type Run } from './shared.queries.ts';
import { insertListeners } from './start-runs.queries.ts';
import { startRunsOfVersion } from './start-runs.service.ts';
import { decodeStepCursor, encodeStepCursor } from './step-cursor.rules.ts';
import { getVersion } from './versions.service.ts';

const MAX_SUMMARY = 2_000;
/** The fields of every trigger output, which are those of the event. */
const COMMON_TO_TRIGGERS = new Set(['event_id', 'occurred_at', 'trigger_type']);

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

/** Which part of a run is read, and for whom. */
interface RunRequest {
  /** Absent: any. */
  workflowId?: string;
  runId: string;
  cursor?: string | undefined;
  /** The address of the Temporal UI, if links to it are shown. */
  temporalUi?: string | undefined;
}

/** Returns a run with a page of its steps, with credentials masked. Throws notFound, and invalid for a foreign cursor. */
export async function getRun(db: Db, orgId: string, { workflowId, runId, cursor, temporalUi }: RunRequest) {
  const after = cursor === undefined ? undefined : decodeStepCursor(cursor);
  if (cursor !== undefined && after === undefined) throw invalid('cursor must be the `next` of an earlier answer');
  const run = await findWorkflowRun(db, orgId, workflowId, runId);
  if (run === undefined) throw notFound('run');
  const [listed, retries, reached, unfinished, { blocks }] = await Promise.all([
    listSteps(db, orgId, runId, after),
    listRetries(db, orgId, runId),
    run.run_ended_at === null ? new Set<string>() : listReachedSteps(db, orgId, runId),
    findUnfinishedStep(db, orgId, { runId, status: run.status }),
    getVersion(db, orgId, run.version_id),
  ]);
  const page = cutToPage(listed.slice(0, MAX_STEPS));
  const steps = await findSteps(
    db,
    orgId,
    runId,
    page.map(({ path }) => path),
  );
  const last = page.length < listed.length ? page.at(-1) : undefined;
  const failedAt = unfinished?.status === 'failed' ? stepAt(blocks, unfinished.path)?.id : undefined;
  return {
    next: last === undefined ? null : encodeStepCursor(last),
    ...run,
    waiting_for: waitingForOf({ ...run, step: unfinished }),
    ran_in: ranIn(run, temporalUi),
    trigger_output: maskCredentials(run.trigger_output),
    retries,
    steps: steps.map((step) => ({
      ...step,
      ...explained(step, { blocks, retries }),
      next_try_at: run.status === 'in_progress' ? step.next_try_at : null,
      input: maskCredentials(step.input),
      output: maskCredentials(step.output),
    })),
    not_run: unreachedSteps(blocks, { status: run.status, reached, failedAt }),
  };
}

const SKIPPED = 'Skipped by a retry';

/** Returns what the definition and the retries of a run tell of one of its steps. */
function explained(
  { path, status, input, output }: Awaited<ReturnType<typeof findSteps>>[number],
  { blocks, retries }: { blocks: readonly Step[]; retries: Awaited<ReturnType<typeof listRetries>> },
) {
  const step = stepAt(blocks, path);
  const skip = retries.findLast((retry) => retry.skip && retry.path === path);
  return {
    max_attempts: step?.$kind === 'Action' ? attemptsOf(step) : null,
    branch_reason: branchReasonOf(step, { input, output }),
    skipped_because: status === 'skipped' ? (skip?.reason ?? SKIPPED) : null,
  };
}

/** Returns where a run is to be found in Temporal. */
function ranIn(
  { id, status, run_started_at, ...run }: NonNullable<Awaited<ReturnType<typeof findWorkflowRun>>>,
  temporalUi: string | undefined,
) {
  if (run_started_at === null || status === 'idle') return null;
  if (run.is_inline && !run.left_batch)
    return { kind: 'inline' as const, workflow_id: null, batch_workflow_id: null, url: null };
  const batch = run.batch_id === null || run.is_inline ? null : workflowIdOfBatch(run.batch_id);
  const isOfBatch = batch !== null && !run.left_batch;
  const workflow = isOfBatch ? batch : workflowIdOfRun(id);
  const url = temporalUi === undefined ? null : `${temporalUi}/workflows/${encodeURIComponent(workflow)}`;
  return {
    kind: isOfBatch ? ('batch' as const) : ('own' as const),
    workflow_id: workflow,
    batch_workflow_id: batch,
    url,
  };
}

/** Cancels a run. A step in progress is still completed. Throws notFound, and conflict if the run has ended. */
export function cancelRun(db: Db, orgId: string, workflowId: string | undefined, runId: string): Promise<void> {
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
 * block without `skip`, for an input that its action does not accept, or without the input of the last retry where that
 * was redacted.
 */
export function retryRun(
  db: Db,
  secrets: Secrets,
  orgId: string,
  { workflowId, runId, input, skip, reason, by }: RetryRun & { workflowId?: string; runId: string; by: string },
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
    if (!skip && input !== undefined) assertAccepted(step, input);
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

/** Throws invalid with each problem of an input that the action of a step does not accept. */
function assertAccepted(step: Step | undefined, input: ActionStep['input']): void {
  const problems = step?.$kind === 'Action' ? problemsOfInput(step.type, input) : [];
  if (problems.length === 0) return;
  const issues = problems.map(({ path, message }) => ({ path: ['body', ...path].join('.'), message }));
  const summary = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
  throw invalid(`The request is not valid: ${summary}`.slice(0, MAX_SUMMARY), issues);
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
 * Starts a new run with the trigger output of this one, on the same version, or on the workflow's active or else latest
 * one. Fields of `input` replace those of the trigger output. Returns its id. Throws notFound.
 */
export function rerunWorkflow(
  db: Db,
  orgId: string,
  { workflowId, runId, version: wanted, input = {} }: RerunRun & { workflowId?: string; runId: string },
): Promise<string> {
  return inTransaction(db, async (trx) => {
    const run = await findWorkflowRun(trx, orgId, workflowId, runId);
    if (run === undefined) throw notFound('run');
    const { workflow_id: automationId, trigger_output: told } = run;
    const versionId = wanted === 'same' ? run.version_id : (await findCurrentVersion(trx, orgId, automationId))?.id;
    if (versionId === undefined) throw notFound('workflow');
    const kept = Object.fromEntries(Object.entries(told).filter(([name]) => COMMON_TO_TRIGGERS.has(name)));
    const version = { automation_id: automationId, version_id: versionId, trigger_constraints: null };
    const triggered = {
      key: `rerun/${newId()}`,
      occurredAt: new Date(),
      depth: 0,
      output: { ...told, ...input, ...kept, ...sessionOf(told, input) },
    };
    const started = await startRunsOfVersion(trx, orgId, version, {
      triggerEvents: [triggered],
      cause: 'manual',
      isTest: false,
    });
    await startQueuedRuns(trx, orgId);
    const [startedId] = started;
    if (startedId === undefined) throw notFound('run');
    return startedId;
  });
}

/** A run keeps the session of the run before, by which a redaction finds the texts of both. */
const sessionOf = (told: JsonObject, input: JsonObject): JsonObject =>
  told.session == null ? {} : { session: { ...fieldsOf(input.session ?? told.session), ...idOf(told.session) } };

const idOf = (session: Json): JsonObject => {
  const { id = null } = fieldsOf(session);
  return { id };
};

/** Locks a run, of a workflow if one is given. Throws notFound. */
async function lockWorkflowRun(trx: Trx, orgId: string, workflowId: string | undefined, runId: string): Promise<Run> {
  const ofRun = workflowId ?? (await findRun(trx, orgId, runId))?.automation_id;
  if (ofRun === undefined || !(await keepAutomation(trx, orgId, ofRun))) throw notFound('run');
  const run = await lockRun(trx, orgId, runId);
  if (run?.automation_id !== ofRun) throw notFound('run');
  return run;
}
