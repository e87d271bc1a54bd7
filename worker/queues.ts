import type { WorkerOptions } from '@temporalio/worker';
import type { TaskQueue } from '../src/temporal/contract.ts';

/**
 * The limits of one worker process for each queue. Steps of workflows may wait a minute for another server: an org has
 * fewer active runs than half of the interactive queue's activities. A sender of webhooks may wait for a hanging server
 * too. Few tasks of workflows compute at once, so that a thousand woken runs of one org leave the processor to sequences
 * and the database. Turns of the AI look at the database within such a task, for some milliseconds, and the first steps of
 * runs may call another system there: at most half of the tasks do. A poll holds the place of a task while it waits, so
 * there are fewer polls than places: otherwise a started workflow would find none in its own process, and its first task
 * would go through the server.
 */
export const QUEUES: Record<
  TaskQueue,
  Pick<
    WorkerOptions,
    | 'maxConcurrentActivityTaskExecutions'
    | 'maxCachedWorkflows'
    | 'maxConcurrentWorkflowTaskExecutions'
    | 'workflowTaskPollerBehavior'
  >
> = {
  interactive: {
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentWorkflowTaskExecutions: 12,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    maxCachedWorkflows: 300,
  },
  bulk: { maxConcurrentActivityTaskExecutions: 8, maxCachedWorkflows: 300 },
  crawls: { maxConcurrentActivityTaskExecutions: 3, maxCachedWorkflows: 100 },
  rendering: { maxConcurrentActivityTaskExecutions: 1 },
  embedding: { maxConcurrentActivityTaskExecutions: 4 },
  webhooks: {
    maxConcurrentActivityTaskExecutions: 100,
    maxConcurrentWorkflowTaskExecutions: 4,
    maxCachedWorkflows: 30,
  },
};
