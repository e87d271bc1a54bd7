import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Trx } from '../../db/connect.ts';
import { despiteOutage, isUnstorable } from '../../db/failures.ts';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, messageOf, ProviderError } from '../../errors.ts';
import { satisfiesConstraint } from '../../json-logic/json-logic.ts';
import { readSettings } from '../../orgs/service.ts';
import { setCausingRun } from '../../outbox/causation.ts';
import { runAsActor, setCountry } from '../../processes/current-work.ts';
import type { Actor } from '../../schemas/actor.ts';
import { type Action, type ActionDeps, type LocalAction, type StepRef, stepRefOf } from '../actions/action.ts';
import type { ActionStep, Json, WaitForEventBlock } from '../blocks/schema.ts';
import { knownOriginsOf } from '../credential-origins.rules.ts';
import { createSealer, originsOfInput } from '../credentials.ts';
import { resolveInput, StepError } from '../interpreter/rules.ts';
import { type StepPath, stepAt } from '../interpreter/step-paths.rules.ts';
import { fieldsOf } from '../json.rules.ts';
import { maskCredentials } from '../masking.rules.ts';
import {
  advanceRun,
  failRun,
  loadContext,
  nextWaitOf,
  type RunContext,
  stepOutputsOf,
  stepRecordOf,
} from './advance-run.service.ts';
import type { NextStep, RunRef } from './contract.ts';
import { waitForPace } from './pacing/pace.ts';
import { type AttemptRound, nextTryMsAfter } from './pacing/retry-times.ts';
import { redactSteps } from './redaction.queries.ts';
import { startQueuedRuns } from './run-queue.service.ts';
import {
  consumeReceivedEvent,
  endStep,
  findResumedAt,
  findRunAtStep,
  findStep,
  listUncheckedEvents,
  lockRun,
  REDACTED_ERROR,
  REDACTED_INPUT,
  type Run,
  type RunAtStep,
  saveSteps,
  setChecked,
  setStepError,
} from './shared.queries.ts';
import type { AutomationStepsTable } from './table.ts';

export interface StepDeps extends ActionDeps {
  actions: ReadonlyMap<string, Action>;
}

export interface RunStepRef extends RunRef {
  path: StepPath;
}

const ENDED_STEP: NextStep = { kind: 'end' };
const MAX_MESSAGE = 1_000;
const UNKNOWN_OUTCOME =
  'The outcome is unknown: an earlier try ended before its answer was stored. It may have been done, so it is not tried again by itself';
const INPUT_IS_REDACTED = 'The input given for the retry was redacted: retry with an input again';
/** How many events are loaded at once, and how many pages of them a check evaluates. The next check goes on. */
const EVENTS_PER_PAGE = 100;
/** A check is one transaction of an activity. The next one goes on where it ended. */
const PAGES_PER_CHECK = 10;
const MAX_CHECK_MS = 2_000;
/** How long constraints are evaluated without a pause of the event loop. */
const MAX_BLOCKING_MS = 20;

/** Whether a step has ended in a way that the run goes on from. */
const isDone = ({ on_error }: ActionStep, status: AutomationStepsTable['status'] | undefined): boolean =>
  status === 'completed' || status === 'skipped' || (status === 'failed' && on_error === 'continue');

/**
 * Runs an action and returns the next step. Repeats the action after a failed or unsaved attempt, but not after a
 * completed one. Throws the error of the action. `round` says which attempts follow if this one fails.
 */
export async function doStep(deps: StepDeps, ref: RunStepRef, round?: AttemptRound): Promise<NextStep> {
  const loaded = await loadStep(deps, ref);
  return loaded === undefined ? ENDED_STEP : attemptStep(deps, ref, { ...loaded, round });
}

/** An action of a run, with what is known of earlier attempts. */
export interface LoadedStep {
  context: RunContext;
  step: ActionStep;
  known: RunAtStep['step'];
  /** The attempts that follow if this one fails. Absent: none does by itself. */
  round?: AttemptRound | undefined;
}

/** Loads an action. Returns undefined if the run is not in progress. */
export async function loadStep({ db }: StepDeps, { orgId, runId, path }: RunStepRef): Promise<LoadedStep | undefined> {
  const atStep = await findRunAtStep(db, orgId, { runId, path });
  if (atStep?.run.status !== 'in_progress') return undefined;
  setCountry((await readSettings(db, orgId)).country);
  const context = await loadContext(db, orgId, atStep.run);
  return { context, step: actionAt(context, path), known: atStep.step };
}

/** Runs a loaded action, as doStep does. */
export async function attemptStep(
  deps: StepDeps,
  { orgId, runId, path }: RunStepRef,
  { context, step, known, round }: LoadedStep,
): Promise<NextStep> {
  const { db, actions } = deps;
  await waitForPace(orgId);
  if (isDone(step, known?.status)) return lockAndAdvance(deps, { orgId, runId, path });

  const sealer = createSealer(deps.secrets, orgId, context.run.automation_id);
  const begin = (input: Json) =>
    saveSteps(db, orgId, runId, [stepRecordOf(path, step, { status: 'in_progress', input, output: null })]);
  if (known?.changed_input === REDACTED_INPUT) {
    await begin(null);
    throw invalid(INPUT_IS_REDACTED);
  }
  const { stored, origins } = storedInputOf(context, step, known);
  const input = await resolveInput(context.definition, stepOutputsOf(db, context), path, sealer.open(stored)).catch(
    async (error: unknown) => {
      await begin(null); // a failed step must exist to be retried
      throw error instanceof StepError ? invalid(error.message) : error;
    },
  );
  try {
    const action = actions.get(step.type);
    if (isUncertain(known) && action !== undefined) assertRepeatable(step, action, input);
    await begin(maskCredentials(input));
    if (action === undefined) throw invalid(`There is no action ${step.type}`);
    const ref = { ...stepRefOf(orgId, context.run, path), credentialOrigins: originsOfInput(stored, origins) };
    return await applyAction(deps, context.run, { path, action, ref, input: parseInput(action, input) });
  } catch (error) {
    const failure = stepFailureOf(error);
    const nextTryMs = nextTryMsAfter(failure, round);
    await setStepError(db, orgId, context.run, { path, error: messageOf(failure), nextTryMs });
    throw failure;
  }
}

/** Whether an attempt began the step and recorded no outcome and no error: its process has ended, or hangs. */
const isUncertain = (known: LoadedStep['known']): boolean => known?.status === 'in_progress' && known.error === null;

/** Throws a permanent error if a call that may have been done must not be made again by itself. */
function assertRepeatable(step: ActionStep, action: Action, input: Json): void {
  if (step.retry_safe === true || !('call' in action) || action.isRepeatable === undefined) return;
  if (!action.isRepeatable(parseInput(action, input))) throw new ProviderError(UNKNOWN_OUTCOME, { transient: false });
}

/** Returns the input of an action before references are resolved, and the origins that its credentials belong to. */
function storedInputOf(
  { definition }: RunContext,
  step: ActionStep,
  known: LoadedStep['known'],
): { stored: Json; origins: string[] } {
  const changed = known?.changed_input ?? null;
  return changed === null
    ? { stored: step.input, origins: knownOriginsOf(definition.credentialOrigins, step) }
    : { stored: changed, origins: known?.changed_input_origins ?? [] };
}

/** Returns the failure of a step for an error. A value that cannot be stored fails the step: each try would end so. */
export const stepFailureOf = (error: unknown): unknown =>
  isUnstorable(error) ? invalid('A value of the step cannot be stored, such as its output') : error;

function actionAt({ definition }: RunContext, path: StepPath): ActionStep {
  const step = stepAt(definition.blocks, path);
  if (step?.$kind !== 'Action') throw new Error(`The definition has no action at ${path}`);
  return step;
}

interface ActionCall {
  path: StepPath;
  action: Action;
  ref: StepRef;
  input: unknown;
}

/**
 * Runs an action. Changes to our own data commit together with the end of the step. The answer of an external system is
 * stored before anything else happens.
 */
async function applyAction(deps: StepDeps, run: Pick<Run, 'redactions'>, call: ActionCall): Promise<NextStep> {
  const { path, action, ref, input } = call;
  const { orgId, runId } = ref;
  if (!('call' in action)) return applyOnce(deps, run, { path, action, ref, input });
  const output = await action.call(deps, ref, input);
  await despiteOutage(() => storeAnswer(deps, run, { path, ref, output }));
  return lockAndAdvance(deps, { orgId, runId, path });
}

/**
 * Completes the step of a call, even if the run was canceled meanwhile, but not if another attempt has ended the step.
 * After a redaction since `redactions`, the step keeps no texts.
 */
function storeAnswer(
  { db }: StepDeps,
  { redactions }: Pick<Run, 'redactions'>,
  { path, ref: { orgId, runId }, output }: Pick<ActionCall, 'path' | 'ref'> & { output: unknown },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    if (run === undefined || (await isOver(trx, await loadContext(trx, orgId, run), path))) return;
    await completeStep(trx, { orgId, run, path, redactions }, output);
  });
}

/** Changes our own data, unless another attempt has ended the step meanwhile, and advances the run. */
function applyOnce(
  deps: StepDeps,
  { redactions }: Pick<Run, 'redactions'>,
  { path, action, ref, input }: ActionCall & { action: LocalAction },
): Promise<NextStep> {
  const { orgId, runId } = ref;
  return inTransaction(deps.db, async (trx) => {
    const context = await lockActiveRun(trx, { orgId, runId });
    if (context === undefined) return ENDED_STEP;
    if (await isOver(trx, context, path)) return advanceAndStartQueued(trx, context, path);
    await setCausingRun(trx, ref);
    const output = await runAsActor(actorOf(context), () => action.apply(trx, deps, ref, input));
    await completeStep(trx, { orgId, run: context.run, path, redactions }, output);
    return advanceAndStartQueued(trx, context, path);
  });
}

/** Whether an attempt has ended the step of a locked run. */
async function isOver(trx: Trx, context: RunContext, path: StepPath): Promise<boolean> {
  const step = await findStep(trx, context.orgId, context.run.id, path);
  return isDone(actionAt(context, path), step?.status);
}

async function completeStep(
  trx: Trx,
  { orgId, run, path, redactions }: { orgId: string; run: Run; path: StepPath; redactions: number },
  output: unknown,
): Promise<void> {
  await endStep(trx, orgId, run.id, { path, status: 'completed', output: (output ?? {}) as Json });
  if (run.redactions !== redactions) await redactSteps(trx, orgId, [{ run_id: run.id, path }]);
}

const actorOf = ({ run, definition }: RunContext): Actor => ({
  kind: 'workflow',
  id: run.automation_id,
  name: definition.name,
});

/** Returns the input of an action as its schema reads it. Throws invalid, naming the problems. */
export function parseInput(action: Action, input: Json): unknown {
  const { success, data, error } = action.input.safeParse(input);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `input.${path.join('.')}: ${message}`);
  throw invalid(problems.join('; ').slice(0, MAX_MESSAGE));
}

/** Advances a run after an ended step. */
function lockAndAdvance({ db }: StepDeps, ref: RunStepRef): Promise<NextStep> {
  return inTransaction(db, async (trx) => {
    const context = await lockActiveRun(trx, ref);
    return context === undefined ? ENDED_STEP : advanceAndStartQueued(trx, context, ref.path);
  });
}

/** Locks a run and loads its context. Returns undefined if the run is not in progress. */
async function lockActiveRun(trx: Trx, { orgId, runId }: RunRef): Promise<RunContext | undefined> {
  const run = await lockRun(trx, orgId, runId);
  return run?.status === 'in_progress' ? loadContext(trx, orgId, run) : undefined;
}

/** Advances a run. If it ends or begins to wait, starts queued runs in its place. */
async function advanceAndStartQueued(trx: Trx, context: RunContext, path: StepPath): Promise<NextStep> {
  const next = await advanceRun(trx, context, path);
  if (next.kind !== 'action' && next.kind !== 'continue') await startQueuedRuns(trx, context.orgId);
  return next;
}

/**
 * Records the failure of an action after its last attempt, or of one refused before its first. The run continues if the
 * step says so, otherwise it fails. A step that another attempt has ended meanwhile stays as it is.
 */
export function failStep(
  { db }: StepDeps,
  { path, error: message, ...ref }: RunStepRef & { error: string },
): Promise<NextStep> {
  const { orgId, runId } = ref;
  return inTransaction(db, async (trx) => {
    const context = await lockActiveRun(trx, ref);
    if (context === undefined) return ENDED_STEP;
    const step = actionAt(context, path);
    const known = await findStep(trx, orgId, runId, path);
    if (isDone(step, known?.status)) return advanceAndStartQueued(trx, context, path);
    if (known === undefined)
      await saveSteps(trx, orgId, runId, [
        stepRecordOf(path, step, { status: 'in_progress', input: null, output: null }),
      ]);
    const error = known?.error === REDACTED_ERROR ? REDACTED_ERROR : message;
    if (step.on_error === 'continue') {
      await endStep(trx, orgId, runId, { path, status: 'failed', error });
      return advanceAndStartQueued(trx, context, path);
    }
    const failed = await failRun(trx, context, { path, step, message: error });
    await startQueuedRuns(trx, orgId);
    return failed;
  });
}

/** Checks whether a wait has ended, by time or by an event. Returns the next step; this may be the rest of the wait. */
export function checkWait({ db }: StepDeps, { path, ...ref }: RunStepRef): Promise<NextStep> {
  const { orgId, runId } = ref;
  return inTransaction(db, async (trx) => {
    const context = await lockActiveRun(trx, ref);
    if (context === undefined) return ENDED_STEP;
    const known = await findStep(trx, orgId, runId, path);
    const step = stepAt(context.definition.blocks, path);
    if (step === undefined || known === undefined) throw new Error(`The run does not wait at ${path}`);
    if (known.status !== 'waiting') return advanceAndStartQueued(trx, context, path);

    const until = String(fieldsOf(known.input).until);
    const untilMs = Date.parse(until);
    const isDue = Date.now() >= untilMs;
    const { event, isMore } =
      step.$kind === 'Block' && step.type === 'wait-for-event'
        ? await consumeMatchingEvent(trx, context, { path, step })
        : NO_EVENT;
    if (isMore) return { ...nextWaitOf(path, step, untilMs), ms: 0 };
    if (event === undefined && !isDue) return nextWaitOf(path, step, untilMs);
    const output: Json = step.type === 'wait' ? { until } : { timed_out: event === undefined, event: event ?? null };
    await endStep(trx, orgId, runId, { path, status: 'completed', output });
    return advanceAndStartQueued(trx, context, path);
  });
}

/** The event that ends a wait, and whether there may be one among events that were not checked yet. */
interface FoundEvent {
  event: Json | undefined;
  isMore: boolean;
}
const NO_EVENT: FoundEvent = { event: undefined, isMore: false };

/**
 * Consumes and returns the first received event matching the wait, among those since the run's start. A constraint
 * without a valid evaluation matches no event. A wait evaluates an event once, as its references resolve to the same
 * outputs until it ends.
 */
async function consumeMatchingEvent(
  trx: Trx,
  context: RunContext,
  { path, step }: { path: StepPath; step: WaitForEventBlock },
): Promise<FoundEvent> {
  const { orgId, run } = context;
  const { trigger_type: type, constraint = null } = step.inputs;
  const giveUpAt = performance.now() + MAX_CHECK_MS;
  for (let pages = 0; pages < PAGES_PER_CHECK && performance.now() < giveUpAt; pages++) {
    const page = await listUncheckedEvents(trx, orgId, run.id, { type, path, limit: EVENTS_PER_PAGE });
    if (page.length === 0) return NO_EVENT;
    const condition = await resolveConstraint(trx, context, { path, constraint });
    const { match, others } =
      condition === undefined ? { match: undefined, others: page } : await findMatch(condition, page, giveUpAt);
    await setChecked(trx, orgId, run.id, { path, eventIds: others.map(({ event_id }) => event_id) });
    if (match !== undefined) {
      await consumeReceivedEvent(trx, orgId, run.id, match.event_id);
      return { event: match.output, isMore: false };
    }
    if (others.length === page.length && page.length < EVENTS_PER_PAGE) return NO_EVENT;
  }
  return { event: undefined, isMore: true };
}

/**
 * Finds the first event that satisfies a constraint, among those that can be evaluated until a time; at least one is.
 * `others` do not satisfy it. Lets other work go on between two evaluations.
 */
async function findMatch<Event extends { output: Json }>(
  condition: Json,
  events: Event[],
  giveUpAt: number,
): Promise<{ match: Event | undefined; others: Event[] }> {
  let pausedAt = performance.now();
  for (const [nth, event] of events.entries()) {
    if (nth > 0 && performance.now() >= giveUpAt) return { match: undefined, others: events.slice(0, nth) };
    if (performance.now() - pausedAt > MAX_BLOCKING_MS) {
      await yieldToOthers();
      pausedAt = performance.now();
    }
    if (isMatch(condition, event.output)) return { match: event, others: events.slice(0, nth) };
  }
  return { match: undefined, others: events };
}

/** Returns a constraint with its references resolved, or undefined if it becomes too large. */
async function resolveConstraint(
  trx: Trx,
  context: RunContext,
  { path, constraint }: { path: StepPath; constraint: Json },
): Promise<Json | undefined> {
  try {
    return preserveData(
      constraint,
      await resolveInput(context.definition, stepOutputsOf(trx, context), path, constraint),
    );
  } catch (error) {
    if (error instanceof StepError) return undefined;
    throw error;
  }
}

/** Marks resolved values as data, even if they look like operators. */
function preserveData(template: Json, given: Json): Json {
  if (typeof template === 'string') return typeof given === 'object' && given !== null ? { preserve: given } : given;
  if (Array.isArray(template)) {
    const items = Array.isArray(given) ? given : [];
    return template.map((item, n) => preserveData(item, items[n] ?? null));
  }
  if (typeof template !== 'object' || template === null) return given;
  const values = fieldsOf(given);
  return Object.fromEntries(
    Object.entries(template).map(([key, item]) => [key, preserveData(item, values[key] ?? null)]),
  );
}

function isMatch(condition: Json, output: Json): boolean {
  try {
    return satisfiesConstraint(condition, output);
  } catch {
    return false;
  }
}

/** Continues a run after a step, evaluating the next blocks. */
export async function continueRun(deps: StepDeps, at: RunStepRef): Promise<NextStep> {
  await waitForPace(at.orgId);
  return lockAndAdvance(deps, at);
}

/** Returns the next step of a run retried before its Temporal workflow ended, or null if the run was not retried. */
export const findResumePoint = ({ db }: StepDeps, { orgId, runId }: RunRef): Promise<NextStep | null> =>
  findResumedAt(db, orgId, runId);
