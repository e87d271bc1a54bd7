import type { WorkerOptions } from '@temporalio/worker';
import type { TaskQueue } from '../src/temporal/contract.ts';

/** The limits of one worker process for each queue. */
export const QUEUES: Record<
  TaskQueue,
  Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions' | 'maxCachedWorkflows'>
> = {
  interactive: { maxConcurrentActivityTaskExecutions: 50, maxCachedWorkflows: 300 },
  bulk: { maxConcurrentActivityTaskExecutions: 8, maxCachedWorkflows: 300 },
};
