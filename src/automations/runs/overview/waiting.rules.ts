import type { WaitingFor } from '../schema.ts';
import type { RunStatus } from '../table.ts';

/** What tells for what a run waits. */
interface RunState {
  status: RunStatus;
  waits_for: 'timer' | 'event' | null;
  /** The step that it is at, or has failed at. */
  step: { next_try_at: Date | null } | undefined;
}

/** Returns what a run waits for, or null if it works, is queued or needs nothing more. */
export function waitingForOf({ status, waits_for, step }: RunState): WaitingFor | null {
  if (status === 'failed') return step === undefined ? null : 'person';
  if (status !== 'in_progress') return null;
  return waits_for ?? (step?.next_try_at == null ? null : 'retry');
}
