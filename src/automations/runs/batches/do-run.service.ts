import { despiteOutage, isDatabaseUnavailable } from '../../../db/failures.ts';
import { invalid, messageOf } from '../../../errors.ts';
import { stepRefOf } from '../../actions/action.ts';
import type { ActionStep, Json } from '../../blocks/schema.ts';
import { knownOriginsOf } from '../../credential-origins.rules.ts';
import { createSealer, originsOfInput } from '../../credentials.ts';
import { nextStepAfter, resolveInput, type StepOutputs } from '../../interpreter/rules.ts';
import type { StepPath } from '../../interpreter/step-paths.rules.ts';
import { maskCredentials } from '../../masking.rules.ts';
import { attemptsOf, loadContext, nextActionOf, type RunContext, stepRecordOf } from '../advance-run.service.ts';
import type { NextStep } from '../contract.ts';
import { FIRST_RETRY_MS, isFailed, nextAfterFailure } from '../first-steps.service.ts';
import type { Pacer } from '../pacing/pace.ts';
import { type AttemptRound, nextTryMsAfter } from '../pacing/retry-times.ts';
import { findNextStep } from '../resume-point.service.ts';
import { listOutputs, type Run, setStepError } from '../shared.queries.ts';
import { doStep, failStep, parseInput, type StepDeps, stepFailureOf } from '../steps.service.ts';
import type { BatchRef } from './contract.ts';
import type { Progress, ProgressWriter } from './progress-writer.ts';
import { advancingFrom, leaveBatchAt, type Released } from './release.service.ts';

/** What all runs of a batch share. */
export interface BatchWork {
  deps: StepDeps;
  ref: BatchRef;
  writer: ProgressWriter;
  pacer: Pacer;
  /** No step begins any more: the run goes on in a workflow of its own. */
  isOver: () => boolean;
}

/** A run under way: what is known of it, and what is not saved yet. */
interface RunExecution {
  work: BatchWork;
  context: RunContext;
  outputs: Map<StepPath, Json>;
  /** Some outputs are in the database only. */
  isStored: boolean;
  ended: Progress['ended'];
}

/** Where a run stands: behind a step, or before its beginning. */
type Position = { after: StepPath | undefined };

/**
 * Does a run up to its end, or to its first wait, retry or failure. Returns undefined if it is not the batch's any
 * more.
 */
export async function doRun(work: BatchWork, run: Run): Promise<Released | undefined> {
  const context = await loadContext(work.deps.db, work.ref.orgId, run);
  const execution: RunExecution = { work, context, outputs: new Map(), isStored: false, ended: undefined };
  let at: Position | Released | undefined = { after: undefined };
  try {
    while (typeof at === 'object') at = await advance(execution, at.after);
    return at;
  } catch (error) {
    if (execution.ended !== undefined) await despiteOutage(() => saveProgress(execution)); // the call is not made again
    throw error;
  }
}

/** Fails the step of a call whose answer cannot be stored, so that the call is not made again. */
async function failUnstorable({ work, context }: RunExecution, path: StepPath, error: unknown): Promise<void> {
  const failure = stepFailureOf(error);
  if (failure === error) return;
  const ref = { orgId: work.ref.orgId, runId: context.run.id, path };
  await failStep(work.deps, { ...ref, error: messageOf(failure) });
}

/** Evaluates blocks and does the action behind them. Returns where the run stands then, or what became of it. */
async function advance(execution: RunExecution, after: StepPath | undefined): Promise<Position | Released | undefined> {
  const { pacer, isOver } = execution.work;
  if (after !== undefined && isOver())
    return (await saveProgress(execution)) ? leave(execution, advancingFrom(after)) : undefined;
  await pacer.wait();
  const startedAt = performance.now();
  const { next, decisions } = await nextStepAfter(execution.context.definition, outputsOf(execution), {
    after,
    nowMs: Date.now(),
  });
  const records = decisions.map(({ path, step, input, output }) => {
    execution.outputs.set(path, output);
    return stepRecordOf(path, step, { status: 'completed', input, output });
  });
  pacer.add(performance.now() - startedAt);
  const save = (progress: Partial<Progress> = {}) => saveProgress(execution, { records, ...progress });
  switch (next.kind) {
    case 'end':
      return (await save({ isEnd: true })) ? 'ended' : undefined;
    case 'continue':
      return (await save()) ? { after: next.path } : undefined;
    case 'action':
      if (isCall(execution, next.step)) return call(execution, next, records);
      return (await save()) ? applyStep(execution, next) : undefined;
    default:
      return (await save({ records: [] })) ? leave(execution, advancingFrom(after)) : undefined;
  }
}

/** The attempts of an action whose first one is made by a batch. */
const firstRoundOf = (step: ActionStep): AttemptRound => ({ left: attemptsOf(step), delayMs: FIRST_RETRY_MS });

interface ActionAt {
  path: StepPath;
  step: ActionStep;
}

const isCall = ({ work }: RunExecution, { type }: ActionStep): boolean => {
  const action = work.deps.actions.get(type);
  return action !== undefined && 'call' in action;
};

/** Records that a call begins, and calls. The answer is saved with the next step. */
async function call(
  execution: RunExecution,
  { path, step }: ActionAt,
  records: Progress['records'],
): Promise<Position | Released | undefined> {
  const { work, context } = execution;
  const { deps, ref } = work;
  const action = deps.actions.get(step.type);
  if (action === undefined || !('call' in action)) throw invalid(`There is no remote action ${step.type}`);
  const sealer = createSealer(deps.secrets, ref.orgId, context.run.automation_id);
  const input = await resolveInput(context.definition, outputsOf(execution), path, sealer.open(step.input));
  const record = stepRecordOf(path, step, { status: 'in_progress', input: maskCredentials(input), output: null });
  if (!(await saveProgress(execution, { records: [...records, record] }))) return undefined;
  try {
    const origins = knownOriginsOf(context.definition.credentialOrigins, step);
    const credentialOrigins = originsOfInput(step.input, origins);
    const stepRef = { ...stepRefOf(ref.orgId, context.run, path), credentialOrigins };
    const output = (await action.call(deps, stepRef, parseInput(action, input))) as Json;
    execution.ended = { path, output };
    execution.outputs.set(path, output);
    return { after: path };
  } catch (error) {
    const nextTryMs = nextTryMsAfter(error, firstRoundOf(step));
    await setStepError(deps.db, ref.orgId, context.run, { path, error: messageOf(error), nextTryMs });
    return afterFailure(execution, { path, step }, error);
  }
}

/** Does an action on our own data, in its transaction. */
async function applyStep(execution: RunExecution, { path, step }: ActionAt): Promise<Position | Released | undefined> {
  const { deps, ref } = execution.work;
  execution.isStored = true;
  try {
    return await positionOf(
      execution,
      await doStep(deps, { orgId: ref.orgId, runId: execution.context.run.id, path }, firstRoundOf(step)),
      path,
    );
  } catch (error) {
    return afterFailure(execution, { path, step }, error);
  }
}

/** Ends a step that has failed for good. A failure that may pass is retried in a workflow of the run's own. */
async function afterFailure(
  execution: RunExecution,
  { path, step }: ActionAt,
  error: unknown,
): Promise<Position | Released | undefined> {
  const { deps, ref } = execution.work;
  const run = { orgId: ref.orgId, runId: execution.context.run.id };
  const next = await nextAfterFailure(deps, run, nextActionOf(path, step), error);
  execution.isStored = true;
  if (next === undefined) return leave(execution, findNextStep);
  return next.kind === 'action' && isFailed(next)
    ? leave(execution, async () => next)
    : positionOf(execution, next, path);
}

/** Returns where a run stands after a step that has ended, as the database tells. */
async function positionOf(
  execution: RunExecution,
  next: NextStep,
  path: StepPath,
): Promise<Position | Released | undefined> {
  switch (next.kind) {
    case 'end':
      return 'ended';
    case 'failed':
      return 'failed';
    case 'action':
    case 'continue':
      return { after: path };
    case 'wait':
    case 'wait-for-event':
      return leave(execution, async () => next);
  }
}

const leave = ({ work, context }: RunExecution, nextOf: Parameters<typeof leaveBatchAt>[2]['nextOf']) =>
  leaveBatchAt(work.deps.db, work.ref, { runId: context.run.id, nextOf });

/** Saves what is new. Returns whether the run goes on. */
async function saveProgress(execution: RunExecution, progress: Partial<Progress> = {}): Promise<boolean> {
  const { ended, context } = execution;
  execution.ended = undefined;
  const { id: runId, redactions } = context.run;
  const { batchId } = execution.work.ref;
  const known = { runId, batchId, redactions, ended, records: [], isEnd: false, isHeard: isEndHeard(context) };
  try {
    return await execution.work.writer.save({ ...known, ...progress });
  } catch (error) {
    if (isDatabaseUnavailable(error)) execution.ended = ended;
    else if (ended !== undefined) await failUnstorable(execution, ended.path, error);
    throw error;
  }
}

/** Whether somebody may wait for the end of a run, or the run for an event. */
const isEndHeard = ({ run, definition }: RunContext): boolean =>
  definition.awaitedTypes.length > 0 || run.trigger_output.trigger_type === 'ai-trigger';

/** The outputs of the run's steps, from memory where they are. */
const outputsOf = ({ work, context, outputs, isStored }: RunExecution): StepOutputs => ({
  async read(paths) {
    const known = new Map<StepPath, Json>();
    for (const path of paths) {
      const output = outputs.get(path);
      if (output !== undefined) known.set(path, output);
    }
    const missing = isStored ? paths.filter((path) => !known.has(path)) : [];
    const stored = await listOutputs(work.deps.db, work.ref.orgId, context.run.id, missing);
    return new Map([...known, ...stored]);
  },
});
