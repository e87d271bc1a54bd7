import type { WorkflowContract } from '../temporal/contract.ts';

export interface SequenceRef {
  orgId: string;
  sequenceId: string;
}

/** What a run has done so far. It is carried on as the workflow continues as new. */
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

/** What a batch of a sequence found and did. */
export interface SequenceProgress {
  state: 'active' | 'paused' | 'ended';
  /** For the operator: the sequence's name, and which step was sent last. */
  name: string;
  lastStep: string | null;
  batch: SendTotals;
  hasMore: boolean;
  /** Time until something is due, or null when nothing waits. */
  nextDueInMs: number | null;
}
