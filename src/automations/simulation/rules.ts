import type { Json, Step } from '../blocks/schema.ts';
import { type Definition, nextStepAfter, resolveInput, StepError } from '../interpreter/rules.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';

const MAX_STEPS = 2_000;
/** Of the inputs and outputs together. */
const MAX_CHARACTERS = 1_000_000;
const WITHOUT_OUTPUT = '`outputs` has none for this step: its output is null, and so are references to it';

export interface SimulatedStep {
  id: string;
  type: string;
  /** ISO 8601, in simulated time. */
  started_at: string;
  ended_at: string;
  input: Json;
  output: Json;
  /** The step would have had an effect, or waited for an event. The simulation skipped it. */
  stubbed: boolean;
  /** Set if `outputs` lacks the step. */
  note: string | null;
}

export interface Simulation {
  status: 'completed' | 'failed';
  steps: SimulatedStep[];
  ended_at: string;
  error: string | null;
}

/**
 * Simulates a run: evaluates blocks, ends waits at once, and takes each action's output from `outputs` by step id, or
 * else null with a note. An awaited event comes if `outputs` has it, otherwise the wait times out.
 */
export async function simulate(
  definition: Definition,
  { outputs, startMs }: { outputs: ReadonlyMap<string, Json>; startMs: number },
): Promise<Simulation> {
  const gave = new Map<StepPath, Json>();
  const memory = {
    read: async (paths: StepPath[]) =>
      new Map(
        paths.flatMap((path): [StepPath, Json][] => {
          const output = gave.get(path);
          return output === undefined ? [] : [[path, output]];
        }),
      ),
  };
  const steps: SimulatedStep[] = [];
  let characters = 0;
  let nowMs = startMs;
  const record = (
    step: Step,
    path: StepPath,
    {
      input,
      output,
      untilMs = nowMs,
      stubbed,
      note = null,
    }: Pick<SimulatedStep, 'input' | 'output' | 'stubbed'> & {
      untilMs?: number;
      note?: string | null;
    },
  ) => {
    gave.set(path, output);
    characters += JSON.stringify(input).length + JSON.stringify(output).length;
    const { id, type } = step;
    steps.push({ id, type, started_at: isoOf(nowMs), ended_at: isoOf(untilMs), input, output, stubbed, note });
    nowMs = untilMs;
  };
  const ended = (status: Simulation['status'], error: string | null): Simulation => ({
    status,
    steps,
    ended_at: isoOf(nowMs),
    error,
  });

  let after: StepPath | undefined;
  while (steps.length < MAX_STEPS && characters <= MAX_CHARACTERS) {
    try {
      const { next, decisions } = await nextStepAfter(definition, memory, { after, nowMs });
      for (const { step, path, input, output } of decisions) record(step, path, { input, output, stubbed: false });
      if (next.kind === 'end') return ended('completed', null);
      if (next.kind === 'invalid') return ended('failed', `${next.step.id}: ${next.message}`);
      after = next.path;
      if (next.kind === 'continue') continue;
      const { path, step } = next;
      const given = outputs.get(step.id);
      if (next.kind === 'action') {
        const input = await resolveInput(definition, memory, path, next.step.input);
        const note = given === undefined ? WITHOUT_OUTPUT : null;
        record(step, path, { input, output: given ?? null, stubbed: true, note });
      } else if (next.kind === 'wait') {
        const until = isoOf(next.untilMs);
        record(step, path, { input: { until }, output: { until }, untilMs: next.untilMs, stubbed: false });
      } else {
        const input = { until: isoOf(next.untilMs) };
        const isThere = given !== undefined;
        record(step, path, {
          input,
          output: given ?? { timed_out: true, event: null },
          untilMs: isThere ? nowMs : next.untilMs,
          stubbed: isThere,
        });
      }
    } catch (error) {
      if (error instanceof StepError) return ended('failed', `${error.step.id}: ${error.message}`);
      throw error;
    }
  }
  const bound =
    characters > MAX_CHARACTERS ? `${MAX_CHARACTERS} characters of inputs and outputs` : `${MAX_STEPS} steps`;
  return ended('failed', `The simulation ends after ${bound}: a real run would continue`);
}

const isoOf = (ms: number) => new Date(ms).toISOString();
