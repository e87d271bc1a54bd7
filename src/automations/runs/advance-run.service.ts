import type { Db, Trx } from '../../db/connect.ts';
import { enqueue, start } from '../../outbox/outbox.ts';
import type { ActionStep, Json, Step } from '../blocks/schema.ts';
import { type Definition, nextStepAfter, type StepOutputs, type UpcomingStep } from '../interpreter/rules.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';
import { fieldsOf } from '../json.rules.ts';
import { type NextAction, type NextStep, RUN_AUTOMATION, subjectOfRun } from './contract.ts';
import { finishRun } from './finish-run.service.ts';
import {
  endStep,
  hasReceivedEvent,
  isInBatch,
  listOutputs,
  type Run,
  type StepRecord,
  saveSteps,
  setWaiting,
} from './shared.queries.ts';
import { getVersion, type Version } from './versions.service.ts';

const DEFAULT_ATTEMPTS = 3;
const MAX_STORED_INPUT = 64_000;

/** A run with its definition and trigger, loaded once for all functions of a turn. */
export interface RunContext {
  orgId: string;
  run: Run;
  definition: Definition & Version;
}

/** Loads the definition of a run. */
export async function loadContext(db: Db, orgId: string, run: Run): Promise<RunContext> {
  const version = await getVersion(db, orgId, run.version_id);
  return { orgId, run, definition: { ...version, trigger: run.trigger_output } };
}

/** Returns the outputs of the run's steps so far. */
export const stepOutputsOf = (db: Db, { orgId, run }: RunContext): StepOutputs => ({
  read: (paths) => listOutputs(db, orgId, run.id, paths),
});

/**
 * Advances a run after a step, or starts it if `after` is undefined. Saves the decisions on the way, and ends the run
 * if no step is left or a step has invalid inputs. Returns the next step. The run must be in progress and locked by
 * this transaction.
 */
export async function advanceRun(trx: Trx, context: RunContext, after: StepPath | undefined): Promise<NextStep> {
  const { orgId, run, definition } = context;
  const position = { after, nowMs: Date.now() };
  const { next, decisions } = await nextStepAfter(definition, stepOutputsOf(trx, context), position);
  const made = decisions.map(({ path, step, input, output }) =>
    stepRecordOf(path, step, { status: 'completed', input, output }),
  );
  await saveSteps(trx, orgId, run.id, made);
  return saveProgress(trx, context, next);
}

/** Fails a run because of a step. */
export async function failRun(
  trx: Trx,
  context: RunContext,
  { path, step, message }: { path: StepPath; step: Step; message: string },
): Promise<NextStep> {
  const { orgId, run } = context;
  await endStep(trx, orgId, run.id, { path, status: 'failed', error: message });
  return finishFailedRun(trx, context, `${step.id}: ${message}`);
}

/** Ends a run as failed. A run of a batch leaves it for a workflow of its own, which fails with the error. */
export async function finishFailedRun(
  trx: Trx,
  { orgId, run, definition }: RunContext,
  error: string,
): Promise<NextStep> {
  const next = { kind: 'failed' as const, error };
  const leavesBatch = isInBatch(run);
  await finishRun(trx, orgId, run.id, { status: 'failed', error, leavesBatch });
  if (leavesBatch) {
    const command = start(RUN_AUTOMATION, { orgId, runId: run.id, next }, subjectOfRun(run.id, definition.name));
    await enqueue(trx, orgId, { ...command, is_deferrable: true });
  }
  return next;
}

/** What a run waits for at its next step. */
const WAITS: Partial<Record<UpcomingStep['kind'], 'timer' | 'event'>> = { wait: 'timer', 'wait-for-event': 'event' };

/** Saves the state of the run at its next step. */
async function saveProgress(trx: Trx, context: RunContext, next: UpcomingStep): Promise<NextStep> {
  const { orgId, run } = context;
  const runId = run.id;
  const waitsFor = WAITS[next.kind] ?? null;
  if (waitsFor !== run.waits_for || (waitsFor !== null) !== run.is_waiting)
    await setWaiting(trx, orgId, runId, waitsFor);
  switch (next.kind) {
    case 'end':
      await finishRun(trx, orgId, runId, { status: 'completed' });
      return { kind: 'end' };
    case 'continue':
      return next;
    case 'invalid': {
      const record = stepRecordOf(next.path, next.step, { status: 'in_progress', input: null, output: null });
      await saveSteps(trx, orgId, runId, [record]);
      return failRun(trx, context, next);
    }
    case 'action':
      return nextActionOf(next.path, next.step);
    case 'wait':
    case 'wait-for-event': {
      const { path, step, untilMs } = next;
      const input = { until: new Date(untilMs).toISOString() };
      await saveSteps(trx, orgId, runId, [stepRecordOf(path, step, { status: 'waiting', input, output: null })]);
      const hasEvent =
        step.type === 'wait-for-event' && (await hasReceivedEvent(trx, orgId, runId, step.inputs.trigger_type));
      return hasEvent ? { ...nextWaitOf(path, step, untilMs), ms: 0 } : nextWaitOf(path, step, untilMs);
    }
  }
}

/** Returns how often an action is tried at most. */
export const attemptsOf = ({ retry }: ActionStep): number => retry?.attempts ?? DEFAULT_ATTEMPTS;

/** Returns the next step for an action. */
export const nextActionOf = (path: StepPath, step: ActionStep): NextAction => ({
  kind: 'action',
  path,
  title: titleOf(step),
  attempts: attemptsOf(step),
});

/** Returns the next step for a wait, with its remaining time. */
export function nextWaitOf(
  path: StepPath,
  step: Step,
  untilMs: number,
): Extract<NextStep, { kind: 'wait' | 'wait-for-event' }> {
  const kind = step.type === 'wait' ? 'wait' : 'wait-for-event';
  return { kind, path, title: titleOf(step), ms: Math.max(0, untilMs - Date.now()) };
}

/** Label of a step in the Temporal UI. */
const titleOf = (step: Step): string => {
  if (step.$kind === 'Action') return `${step.name} (${step.type}, ${step.id})`;
  if (step.type === 'wait-for-event') return `wait for ${step.inputs.trigger_type} (${step.id})`;
  return `${step.type} (${step.id})`;
};

/** Returns the stored form of a step. */
export const stepRecordOf = (
  path: StepPath,
  step: Step,
  { status, input, output }: { status: StepRecord['status']; input: Json; output: Json },
): StepRecord => ({
  path,
  step_id: step.id,
  type: step.type,
  name: step.$kind === 'Action' ? step.name : null,
  status,
  input: storedInputOf(input),
  output,
});

/** Returns the input as it is stored for readers. Of a long one only its length and its session are stored. */
function storedInputOf(input: Json): Json {
  const { length } = JSON.stringify(input);
  if (length <= MAX_STORED_INPUT) return input;
  const { session_id = null } = fieldsOf(input);
  return { session_id, omitted: `The input has ${length} characters: it is not stored` };
}
