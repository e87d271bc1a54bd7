import { type OutputsById, type Reference, referencesIn, resolveReferences } from '../blocks/references.rules.ts';
import type { ActionStep, ControlBlock, Json, Step, WaitBlock, WaitForEventBlock } from '../blocks/schema.ts';
import { fieldsOf } from '../json.rules.ts';
import { bodyEncoding, withFormats } from './mail-bodies.rules.ts';
import { evaluateOperator } from './operators.rules.ts';
import {
  enclosingBlock,
  enclosingIterations,
  FIRST_PATH,
  firstPathInBranch,
  nextPathInList,
  pathsById,
  type StepPath,
  stepAt,
  visiblePathFrom,
} from './step-paths.rules.ts';

const MAX_ITEMS = 1_000;
/** Maximum number of blocks evaluated in one turn. The next turn evaluates the rest. */
const DECISIONS_PER_TURN = 500;
const CHARACTERS_PER_TURN = 2_000_000;
const MINUTE_MS = 60_000;
const MAX_WAIT_MS = 366 * 24 * 60 * MINUTE_MS;

export interface Definition {
  blocks: readonly Step[];
  trigger: { [key: string]: Json };
}

/** Outputs of the steps so far, by step path. */
export interface StepOutputs {
  read(paths: StepPath[]): Promise<ReadonlyMap<StepPath, Json>>;
}

/** An evaluated block. */
export interface Decision {
  path: StepPath;
  step: ControlBlock;
  input: Json;
  output: Json;
}

export type UpcomingStep =
  | { kind: 'action'; path: StepPath; step: ActionStep }
  | { kind: 'wait'; path: StepPath; step: WaitBlock; untilMs: number }
  | { kind: 'wait-for-event'; path: StepPath; step: WaitForEventBlock; untilMs: number }
  | { kind: 'continue'; path: StepPath }
  | { kind: 'invalid'; path: StepPath; step: Step; message: string }
  | { kind: 'end' };

/** A step with invalid inputs. */
export class StepError extends Error {
  readonly path: StepPath;
  readonly step: Step;

  constructor(path: StepPath, step: Step, message: string) {
    super(message);
    this.name = 'StepError';
    this.path = path;
    this.step = step;
  }
}

interface Position {
  /** The last step that ended, or undefined at the start. */
  after: StepPath | undefined;
  nowMs: number;
}

/**
 * Evaluates blocks after a step path, or from the start if `after` is undefined, until an action, a wait, a block with
 * invalid inputs or the end. Returns the next step and all decisions on the way. Waits begin at `nowMs`. The result
 * depends only on the arguments.
 */
export async function nextStepAfter(
  definition: Definition,
  memory: StepOutputs,
  position: Position,
): Promise<{ next: UpcomingStep; decisions: Decision[] }> {
  const decisions: Decision[] = [];
  try {
    return { next: await evaluateUntilStep(definition, memory, position, decisions), decisions };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const { path, step, message } = error;
    return { next: { kind: 'invalid', path, step, message }, decisions };
  }
}

/** Returns the next step, and adds the decisions on the way to `decisions`. Throws StepError. */
async function evaluateUntilStep(
  definition: Definition,
  memory: StepOutputs,
  { after, nowMs }: Position,
  decisions: Decision[],
): Promise<UpcomingStep> {
  const { blocks } = definition;
  const made = new Map<StepPath, Json>();
  let characters = 0;
  const recalling: StepOutputs = {
    async read(paths) {
      const known = new Map(await memory.read(paths.filter((path) => !made.has(path))));
      for (const path of paths) {
        const output = made.get(path);
        if (output !== undefined) known.set(path, output);
      }
      return known;
    },
  };
  let at =
    after === undefined ? (blocks.length > 0 ? FIRST_PATH : undefined) : await nextPathAfter(blocks, recalling, after);
  while (at !== undefined) {
    const step = stepAt(blocks, at);
    if (step === undefined) throw new Error(`The definition has no step at ${at}`);
    if (step.$kind === 'Action') return { kind: 'action', path: at, step };
    const inputs = fieldsOf(await resolveInput(definition, recalling, at, step.inputs));
    if (step.type === 'wait' || step.type === 'wait-for-event') {
      const untilMs = nowMs + waitMsOf(at, step, inputs, nowMs);
      return step.type === 'wait'
        ? { kind: 'wait', path: at, step, untilMs }
        : { kind: 'wait-for-event', path: at, step, untilMs };
    }
    const { output, branch } = evaluateBlock(at, step, inputs);
    decisions.push({ path: at, step, input: inputs, output });
    made.set(at, output);
    characters += JSON.stringify(inputs).length;
    const inner: StepPath | undefined = branch.length > 0 ? firstPathInBranch(at, ...branch) : undefined;
    const isThere: boolean = inner !== undefined && stepAt(blocks, inner) !== undefined;
    const from: StepPath = at;
    at = isThere ? inner : await nextPathAfter(blocks, recalling, from);
    if (!isThere && (decisions.length >= DECISIONS_PER_TURN || characters >= CHARACTERS_PER_TURN))
      return { kind: 'continue', path: from };
  }
  return { kind: 'end' };
}

/** The type of the steps that call a URL. */
const WITH_URL = 'send-webhook';

/**
 * Resolves the references in a step's input to outputs of the trigger and earlier steps. In the URL of a webhook, values
 * are encoded for their place. Throws StepError if they are too large, or would change which address is called.
 */
export async function resolveInput(
  definition: Definition,
  memory: StepOutputs,
  path: StepPath,
  value: Json,
): Promise<Json> {
  const outputs = await readReferencedOutputs(definition, memory, path, referencesIn(value));
  const step = stepAt(definition.blocks, path);
  try {
    return step?.type === 'send-email'
      ? resolveReferences(withFormats(value), outputs, { encodingAt: bodyEncoding })
      : resolveReferences(value, outputs, { urls: step?.type === WITH_URL ? ['url'] : [] });
  } catch (error) {
    if (step === undefined || !(error instanceof RangeError)) throw error;
    throw new StepError(path, step, error.message);
  }
}

async function readReferencedOutputs(
  { blocks, trigger }: Definition,
  memory: StepOutputs,
  path: StepPath,
  references: Reference[],
): Promise<OutputsById> {
  const outputs = new Map<string, Json>([['trigger', trigger]]);
  const ids = new Set(references.map(({ step }) => step));
  ids.delete('trigger');
  if (ids.size === 0) return outputs;
  const templates = pathsById(blocks);
  const seen = new Map<string, StepPath>();
  for (const id of ids) {
    const template = templates.get(id);
    const at = template === undefined ? undefined : visiblePathFrom(template, path);
    if (at !== undefined) seen.set(id, at);
  }
  const known = await memory.read([...seen.values()]);
  const iterations = enclosingIterations(blocks, path);
  for (const [id, at] of seen) {
    const output = known.get(at);
    if (output !== undefined) outputs.set(id, withCurrentItem(output, iterations.get(at)));
  }
  return outputs;
}

/** Adds the current item to a loop's output, for steps inside of the loop. */
function withCurrentItem(output: Json, iteration: number | undefined): Json {
  if (iteration === undefined || output === null || typeof output !== 'object' || Array.isArray(output)) return output;
  const items = Array.isArray(output.items) ? output.items : [];
  return { ...output, item: items[iteration] ?? null, index: iteration };
}

/**
 * Returns the next path in the list. At its end, returns the first path of the loop's next iteration, or the path after
 * the enclosing block.
 */
async function nextPathAfter(
  blocks: readonly Step[],
  memory: StepOutputs,
  path: StepPath,
): Promise<StepPath | undefined> {
  let at = path;
  for (;;) {
    const next = nextPathInList(blocks, at);
    if (next !== undefined) return next;
    const around = enclosingBlock(blocks, at);
    if (around === undefined) return undefined;
    if (around.iteration !== undefined) {
      const { count = 0 } = fieldsOf((await memory.read([around.path])).get(around.path));
      if (around.iteration + 1 < Number(count)) return firstPathInBranch(around.path, 'do', around.iteration + 1);
    }
    at = around.path;
  }
}

function evaluateBlock(
  path: StepPath,
  step: Exclude<ControlBlock, WaitBlock | WaitForEventBlock>,
  inputs: { [key: string]: Json },
): { output: Json; branch: (string | number)[] } {
  switch (step.type) {
    case 'if-else': {
      const { left = null, right = null } = fieldsOf(inputs.condition);
      const result = evaluateOperator(step.inputs.condition.operatorName, left, right);
      return { output: { result }, branch: [result ? 'then' : 'else'] };
    }
    case 'switch': {
      const nth = step.branches.cases.findIndex(({ equals }) =>
        evaluateOperator('equals', inputs.value ?? null, equals),
      );
      return { output: { case: nth < 0 ? null : nth }, branch: nth < 0 ? ['default'] : ['case', nth] };
    }
    case 'for-each': {
      const { items = null } = inputs;
      if (!Array.isArray(items)) throw new StepError(path, step, 'items is no list');
      if (items.length > MAX_ITEMS) throw new StepError(path, step, `items has more than ${MAX_ITEMS} items`);
      return { output: { items, count: items.length }, branch: items.length > 0 ? ['do', 0] : [] };
    }
  }
}

function waitMsOf(
  path: StepPath,
  step: WaitBlock | WaitForEventBlock,
  inputs: { [key: string]: Json },
  nowMs: number,
): number {
  const { minutes, until, timeout_minutes } = inputs;
  const given = step.type === 'wait-for-event' ? timeout_minutes : minutes;
  const ms = until === undefined ? Number(given) * MINUTE_MS : Date.parse(String(until)) - nowMs;
  if (!Number.isFinite(ms) || given === null || given === '')
    throw new StepError(path, step, until === undefined ? 'the minutes are no number' : 'until is no date-time');
  if (ms > MAX_WAIT_MS) throw new StepError(path, step, 'waits longer than a year');
  return Math.max(0, ms);
}
