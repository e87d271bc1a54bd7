import type { Run, RunStep } from '../../../api/runs';

/** A row of the waterfall: the begin and end of its bar, as parts of the whole, and its depth. */
export interface Span {
  step: RunStep;
  from: number;
  to: number;
  depth: number;
  ms: number;
  isWaiting: boolean;
}

/** Returns the spans of steps in the time of their run, which is now if it continues. */
export function spansOf(
  run: Pick<Run, 'created_at' | 'run_started_at' | 'run_ended_at'>,
  steps: RunStep[],
  nowMs: number,
): Span[] {
  const beganMs = Date.parse(run.run_started_at ?? run.created_at);
  const endMs = run.run_ended_at === null ? nowMs : Date.parse(run.run_ended_at);
  const length = Math.max(endMs - beganMs, 1);
  const placeOf = (ms: number) => Math.min(Math.max((ms - beganMs) / length, 0), 1);
  return steps.map((step) => {
    const from = Date.parse(step.started_at);
    const to = Math.max(from, step.ended_at === null ? endMs : Date.parse(step.ended_at));
    return {
      step,
      from: placeOf(from),
      to: placeOf(to),
      depth: depthOf(step.path),
      ms: to - from,
      isWaiting: step.type === 'wait' || step.type === 'wait-for-event' || step.next_try_at !== null,
    };
  });
}

const BRANCHES = ['then', 'else', 'case', 'default', 'do'];

/** Returns how many blocks are around a step: each has the name of one branch in its path. */
const depthOf = (path: string): number => path.split('.').filter((part) => BRANCHES.includes(part)).length;

/** Returns in which iterations a step was done, such as #3, counted from 1. */
export function iterationOf(path: string): string {
  const parts = path.split('.');
  return parts.flatMap((part, n) => (parts[n - 1] === 'do' ? [`#${Number(part) + 1}`] : [])).join(' ');
}
