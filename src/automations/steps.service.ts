import type { Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { DomainError, invalid } from '../errors.ts';
import type { Action, ActionDeps, StepRef } from './actions/action.ts';
import { admitRuns } from './admission.service.ts';
import type { ActionStep, Json, WaitForEventBlock } from './blocks.schema.ts';
import { causedBy } from './causation.ts';
import { satisfies } from './constraints.ts';
import type { NextStep, RunRef } from './contract.ts';
import { type Definition, resolved, StepError } from './interpreter.rules.ts';
import { masked } from './masking.rules.ts';
import { type Place, stepAt } from './places.rules.ts';
import { definitionOf, failRun, goOn, memoryOf, recordOf, waitAt } from './progress.service.ts';
import {
  endStep,
  findResumed,
  findRun,
  findStep,
  listHeard,
  lockRun,
  noteTry,
  type Run,
  saveSteps,
  takeHeard,
} from './runs.queries.ts';

export interface StepDeps extends ActionDeps {
  actions: ReadonlyMap<string, Action>;
}

export interface PlaceInRun extends RunRef {
  place: Place;
}

const OVER: NextStep = { kind: 'end' };
const DONE = new Set(['completed', 'skipped']);
const MAX_MESSAGE = 1_000;

/** Does an action, once more where a try failed or its end was not written down, and gives what is next. Throws as the action does. */
export async function doStep(deps: StepDeps, { orgId, runId, place }: PlaceInRun): Promise<NextStep> {
  const { db, actions } = deps;
  const run = await findRun(db, orgId, runId);
  if (run?.status !== 'in_progress') return OVER;
  const definition = await definitionOf(db, orgId, run);
  const step = stepAt(definition.blocks, place) as ActionStep;
  const known = await findStep(db, orgId, runId, place);
  if (known !== undefined && DONE.has(known.status)) return advance(deps, { orgId, runId, place }, definition);

  const given = known?.changed_input ?? step.input;
  const begin = (input: Json) =>
    saveSteps(db, orgId, runId, [recordOf(place, step, { status: 'in_progress', input, output: null })]);
  const input = await resolved(definition, memoryOf(db, orgId, runId), place, given).catch(async (error: unknown) => {
    await begin(null); // there is a step that failed, to be retried
    throw error instanceof StepError ? invalid(error.message) : error;
  });
  await begin(masked(input));
  try {
    const action = actions.get(step.type);
    if (action === undefined) throw invalid(`There is no action ${step.type}`);
    const ref = { orgId, runId, dedupeKey: `${runId}/${place}` };
    return await perform(deps, run, definition, { place, action, ref, input: parsed(action, input) });
  } catch (error) {
    await noteTry(db, orgId, runId, place, messageOf(error));
    throw error;
  }
}

interface Doing {
  place: Place;
  action: Action;
  ref: StepRef;
  input: unknown;
}

/** What is done on our own data commits with the step's end; anything else is done before. A try that another one has overtaken does nothing more. */
async function perform(
  deps: StepDeps,
  run: Run,
  definition: Definition,
  { place, action, ref, input }: Doing,
): Promise<NextStep> {
  const { orgId, runId } = ref;
  const reached = 'reach' in action ? await action.reach(deps, ref, input) : undefined;
  return inTransaction(deps.db, async (trx) => {
    const held = await lockRun(trx, orgId, runId);
    if (held === undefined) return OVER;
    const known = await findStep(trx, orgId, runId, place);
    const isDone = DONE.has(known?.status ?? '');
    if (held.status !== 'in_progress') {
      if (reached !== undefined && !isDone)
        await endStep(trx, orgId, runId, place, { status: 'completed', output: reached as Json });
      return OVER;
    }
    if (isDone) return behind(trx, orgId, held, definition, place);
    let output = reached;
    if ('perform' in action) {
      await causedBy(trx, { runId, depth: run.depth });
      output = await action.perform(trx, deps, ref, input);
    }
    await endStep(trx, orgId, runId, place, { status: 'completed', output: (output ?? {}) as Json });
    return behind(trx, orgId, held, definition, place);
  });
}

function parsed(action: Action, input: Json): unknown {
  const { success, data, error } = action.input.safeParse(input);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => `input.${path.join('.')}: ${message}`);
  throw invalid(problems.join('; ').slice(0, MAX_MESSAGE));
}

/** Goes on behind a step that is over. */
function advance({ db }: StepDeps, { orgId, runId, place }: PlaceInRun, definition: Definition): Promise<NextStep> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    return run?.status === 'in_progress' ? behind(trx, orgId, run, definition, place) : OVER;
  });
}

/** Where a run ends or comes to wait, another may begin. */
async function behind(trx: Trx, orgId: string, run: Run, definition: Definition, place: Place): Promise<NextStep> {
  const next = await goOn(trx, orgId, run, definition, place);
  if (next.kind !== 'action' && next.kind !== 'continue') await admitRuns(trx, orgId);
  return next;
}

/** Ends an action whose tries all failed: the run goes on where the step says so, else it fails. */
export function giveUpStep(
  { db }: StepDeps,
  { orgId, runId, place, error }: PlaceInRun & { error: string },
): Promise<NextStep> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress') return OVER;
    const definition = await definitionOf(trx, orgId, run);
    const step = stepAt(definition.blocks, place) as ActionStep;
    if (step.on_error === 'continue') {
      await endStep(trx, orgId, runId, place, { status: 'failed', error });
      return behind(trx, orgId, run, definition, place);
    }
    const failed = await failRun(trx, orgId, runId, { place, step, message: error });
    await admitRuns(trx, orgId);
    return failed;
  });
}

/** Looks whether a wait is over: its time has come, or its event. Gives what is next, which may be the rest of the wait. */
export function lookAtWait({ db }: StepDeps, { orgId, runId, place }: PlaceInRun): Promise<NextStep> {
  return inTransaction(db, async (trx) => {
    const run = await lockRun(trx, orgId, runId);
    if (run?.status !== 'in_progress') return OVER;
    const definition = await definitionOf(trx, orgId, run);
    const known = await findStep(trx, orgId, runId, place);
    const step = stepAt(definition.blocks, place);
    if (step === undefined || known === undefined) throw new Error(`The run does not wait at ${place}`);
    if (known.status !== 'waiting') return behind(trx, orgId, run, definition, place);

    const untilMs = Date.parse(String((known.input as { until?: string }).until));
    const isDue = Date.now() >= untilMs;
    const event =
      step.type === 'wait-for-event'
        ? await takeEvent(trx, orgId, run, definition, { place, step: step as WaitForEventBlock })
        : undefined;
    if (event === undefined && !isDue) return waitAt(place, step, untilMs);
    const output: Json =
      step.type === 'wait'
        ? { until: String((known.input as { until?: string }).until) }
        : { timed_out: event === undefined, event: event ?? null };
    await endStep(trx, orgId, runId, place, { status: 'completed', output });
    return behind(trx, orgId, run, definition, place);
  });
}

/** The first event since the run's start that the wait is for. One whose constraint cannot be worked out is none. */
async function takeEvent(
  trx: Trx,
  orgId: string,
  run: Run,
  definition: Definition,
  { place, step }: { place: Place; step: WaitForEventBlock },
): Promise<Json | undefined> {
  const { trigger_type, constraint = null } = step.inputs;
  const heard = await listHeard(trx, orgId, run.id, trigger_type);
  if (heard.length === 0) return undefined;
  const condition = await conditionOf(trx, orgId, run, definition, { place, constraint });
  for (const { event_id, output } of heard) {
    if (condition === undefined || !isMatch(condition, output)) continue;
    await takeHeard(trx, orgId, run.id, event_id);
    return output;
  }
  return undefined;
}

/** A constraint with what it refers to; undefined where that is too much. */
async function conditionOf(
  trx: Trx,
  orgId: string,
  run: Run,
  definition: Definition,
  { place, constraint }: { place: Place; constraint: Json },
): Promise<Json | undefined> {
  try {
    return asData(constraint, await resolved(definition, memoryOf(trx, orgId, run.id), place, constraint));
  } catch (error) {
    if (error instanceof StepError) return undefined;
    throw error;
  }
}

/** What references gave is data, though it may look like logic. */
function asData(template: Json, given: Json): Json {
  if (typeof template === 'string') return typeof given === 'object' && given !== null ? { preserve: given } : given;
  if (Array.isArray(template)) return template.map((item, n) => asData(item, (given as Json[])[n] ?? null));
  if (typeof template !== 'object' || template === null) return given;
  const values = given as { [key: string]: Json };
  return Object.fromEntries(Object.entries(template).map(([key, item]) => [key, asData(item, values[key] ?? null)]));
}

function isMatch(condition: Json, output: Json): boolean {
  try {
    return satisfies(condition, output);
  } catch {
    return false;
  }
}

/** Goes on from a place behind which only decisions lie. */
export async function passStep(deps: StepDeps, at: PlaceInRun): Promise<NextStep> {
  const run = await findRun(deps.db, at.orgId, at.runId);
  if (run?.status !== 'in_progress') return OVER;
  return advance(deps, at, await definitionOf(deps.db, at.orgId, run));
}

/** Where a run goes on that was retried before its workflow had ended; null where it was not. */
export const resumedRun = ({ db }: StepDeps, { orgId, runId }: RunRef): Promise<NextStep | null> =>
  findResumed(db, orgId, runId);

const messageOf = (error: unknown) =>
  error instanceof DomainError || error instanceof Error ? error.message : String(error);
