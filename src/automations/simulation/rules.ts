import type { Json, Step } from '../blocks/schema.ts';
import { type Definition, nextStepAfter, resolveInput, StepError } from '../interpreter/rules.ts';
import type { StepPath } from '../interpreter/step-paths.rules.ts';

const MAX_STEPS = 2_000;

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
}

export interface Simulation {
  status: 'completed' | 'failed';
  steps: SimulatedStep[];
  ended_at: string;
  error: string | null;
}

/**
 * Simulates a run: evaluates blocks, ends waits at once, and takes each action's output from `outputs` by step id, or
 * from its input. An awaited event comes if `outputs` has it, otherwise the wait times out.
 */
export async function simulate(
  definition: Definition,
  { outputs, startMs }: { outputs: ReadonlyMap<string, Json>; startMs: number },
): Promise<Simulation> {
  const gave = new Map<StepPath, Json>();
  const memory = {
    read: async (places: StepPath[]) =>
      new Map(
        places.flatMap((place): [StepPath, Json][] => {
          const output = gave.get(place);
          return output === undefined ? [] : [[place, output]];
        }),
      ),
  };
  const steps: SimulatedStep[] = [];
  let nowMs = startMs;
  const note = (
    step: Step,
    place: StepPath,
    { input, output, untilMs = nowMs, stubbed }: { input: Json; output: Json; untilMs?: number; stubbed: boolean },
  ) => {
    gave.set(place, output);
    const { id, type } = step;
    steps.push({ id, type, started_at: isoOf(nowMs), ended_at: isoOf(untilMs), input, output, stubbed });
    nowMs = untilMs;
  };
  const ended = (status: Simulation['status'], error: string | null): Simulation => ({
    status,
    steps,
    ended_at: isoOf(nowMs),
    error,
  });

  let after: StepPath | undefined;
  while (steps.length < MAX_STEPS) {
    try {
      const { next, decisions } = await nextStepAfter(definition, memory, { after, nowMs });
      for (const { step, place, input, output } of decisions) note(step, place, { input, output, stubbed: false });
      if (next.kind === 'end') return ended('completed', null);
      if (next.kind === 'invalid') return ended('failed', `${next.step.id}: ${next.message}`);
      after = next.place;
      if (next.kind === 'continue') continue;
      const { place, step } = next;
      const given = outputs.get(step.id);
      if (next.kind === 'action') {
        const input = await resolveInput(definition, memory, place, next.step.input);
        note(step, place, { input, output: given ?? input, stubbed: true });
      } else if (next.kind === 'wait') {
        const until = isoOf(next.untilMs);
        note(step, place, { input: { until }, output: { until }, untilMs: next.untilMs, stubbed: false });
      } else {
        const input = { until: isoOf(next.untilMs) };
        const isThere = given !== undefined;
        note(step, place, {
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
  return ended('failed', `The simulation ends after ${MAX_STEPS} steps: a real run would continue`);
}

const isoOf = (ms: number) => new Date(ms).toISOString();
