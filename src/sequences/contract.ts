import type { WorkflowContract } from '../temporal/contract.ts';

export interface SequenceRef {
  orgId: string;
  sequenceId: string;
}

/** The send counts of a run so far, carried over when the workflow continues as new. */
export interface SendTotals {
  sent: number;
  failed: number;
  skipped: number;
  unknown: number;
}

export interface RunSequenceInput extends SequenceRef {
  totals?: SendTotals;
  lastStep?: string | null;
}

export const RUN_SEQUENCE: WorkflowContract<RunSequenceInput> = {
  type: 'runSequence',
  taskQueue: 'bulk',
  workflowId: ({ sequenceId }) => `sequence/${sequenceId}`,
};

/** The outcome of a batch of a sequence. */
export interface SequenceProgress {
  state: 'active' | 'paused' | 'ended';
  /** Shown to operators: the sequence's name and the step sent last. */
  name: string;
  lastStep: string | null;
  batch: SendTotals;
  hasMore: boolean;
  /** Time until something is due, or null when nothing waits. */
  nextDueInMs: number | null;
  /** What holds the next send until it is due, besides its time. Absent in older histories. */
  waitsFor?: 'gate' | 'quiet hours' | null;
  /** The channels whose provider is away, and why. Absent in older histories. */
  trouble?: string | null;
}
