import type { Client } from '@temporalio/client';
import { EMBEDDING, RENDERING, TASK_QUEUES, type TaskQueue } from './contract.ts';

/** Of Temporal's API: the numbers of its enum TaskQueueType. */
const TYPES = { workflow: 1, activity: 2 } as const;
/** No worker polls these for tasks of workflows. */
const ACTIVITIES_ONLY: readonly TaskQueue[] = [RENDERING, EMBEDDING];
/** What an operator looks at waits no longer for an answer of Temporal. */
export const ANSWER_MS = 3_000;
const MAX_POLLERS = 50;

/** The tasks that wait in a queue, of workflows or of activities. */
export interface QueuedTasks {
  queue: TaskQueue;
  tasks: keyof typeof TYPES;
}

export interface QueueState extends QueuedTasks {
  /** Processes that have asked for work in the last minutes. */
  pollers: { identity: string; last_seen_at: Date | null }[];
  /** Tasks that wait, about. */
  backlog: number;
  /** Age of the first task that waits. */
  backlog_age_seconds: number;
  added_per_second: number;
  dispatched_per_second: number;
}

/** All that workers are asked to do by queues. */
export const QUEUED_TASKS: readonly QueuedTasks[] = TASK_QUEUES.flatMap((queue) => [
  ...(ACTIVITIES_ONLY.includes(queue) ? [] : [{ queue, tasks: 'workflow' as const }]),
  { queue, tasks: 'activity' as const },
]);

/** Asks Temporal who polls each queue, and what waits there. Rejects if it does not answer within 3 s. */
export const describeQueues = (client: Client): Promise<QueueState[]> =>
  Promise.all(QUEUED_TASKS.map((queued) => describeQueue(client, queued)));

async function describeQueue(client: Client, { queue, tasks }: QueuedTasks): Promise<QueueState> {
  const { pollers, stats } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: TYPES[tasks],
      reportStats: true,
    }),
  );
  return {
    queue,
    tasks,
    pollers: (pollers ?? []).slice(0, MAX_POLLERS).map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      last_seen_at: lastAccessTime == null ? null : new Date(secondsOf(lastAccessTime) * 1_000),
    })),
    backlog: Number(stats?.approximateBacklogCount ?? 0),
    backlog_age_seconds: stats?.approximateBacklogAge == null ? 0 : secondsOf(stats.approximateBacklogAge),
    added_per_second: stats?.tasksAddRate ?? 0,
    dispatched_per_second: stats?.tasksDispatchRate ?? 0,
  };
}

const secondsOf = ({ seconds, nanos }: { seconds?: unknown; nanos?: number | null }): number =>
  Number(seconds ?? 0) + (nanos ?? 0) / 1e9;
