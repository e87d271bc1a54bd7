import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { type ActivityDeps, createActivities } from '../activities/index.ts';
import type { WriteQuota } from '../src/db/write-quota.ts';
import { EMBEDDING, RENDERING, type TaskQueue } from '../src/temporal/contract.ts';
import { failureInterceptor } from './interceptors/failure.ts';
import { heartbeatInterceptor } from './interceptors/heartbeat.ts';
import { orgLogInterceptor } from './interceptors/org-log.ts';
import { writeQuotaInterceptor } from './interceptors/write-quota.ts';
import { QUEUES } from './queues.ts';
import { WITHOUT_TRACING, type WorkerTracing } from './tracing.ts';
import { createWorkflowThread } from './workflow-threads.ts';

/** How long before the end of the grace activities are cancelled, and how long before it they are cut off. */
export const CANCEL_SECONDS_BEFORE_END = 3;
const FORCE_SECONDS_BEFORE_END = 1.5;
const WITHOUT_WORKFLOWS: ReadonlySet<TaskQueue> = new Set([RENDERING, EMBEDDING]);

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  workflowBundle: { code: string };
  /** The queues to poll. */
  queues: readonly TaskQueue[];
  /** How long the process may take to stop. */
  graceSeconds: number;
  deps: Omit<ActivityDeps, 'stopping' | 'quota'>;
  quota: WriteQuota;
  /** The version of the workers in a Worker Deployment. Without it, they are not versioned. */
  version?: WorkerDeploymentVersion | undefined;
  /** Without it, no traces are recorded. */
  tracing?: WorkerTracing;
}

export interface Workers {
  /** Rejects when a worker fails; resolves after `stop`. */
  done: Promise<void>;
  /** Whether the workers of all queues poll for work. */
  areRunning(): boolean;
  /** Stops receiving work, lets batches finish their started sends and other activities end within the grace. */
  stop(): Promise<void>;
}

/**
 * Runs a worker for each of the task queues. If not all can be created none is left, but the connection has to be
 * replaced: it remembers those that failed, and refuses others of their queues.
 */
export async function runWorkers({
  connection,
  namespace,
  workflowBundle,
  queues,
  graceSeconds,
  deps,
  quota,
  version,
  tracing = WITHOUT_TRACING,
}: WorkersOptions): Promise<Workers> {
  const stopping = new AbortController();
  const activities = createActivities({ ...deps, stopping: stopping.signal, quota });
  // Interactive workflows do not wait for those of other queues, as when these are replayed after a restart.
  const threads = { interactive: createWorkflowThread(), others: createWorkflowThread() };
  const create = (taskQueue: TaskQueue) =>
    threads[taskQueue === 'interactive' ? 'interactive' : 'others'].WorkerClass.create({
      connection,
      namespace,
      taskQueue,
      ...(WITHOUT_WORKFLOWS.has(taskQueue) ? {} : { workflowBundle }),
      activities,
      interceptors: {
        activity: [
          ...tracing.activity,
          orgLogInterceptor,
          writeQuotaInterceptor(quota),
          heartbeatInterceptor,
          failureInterceptor,
        ],
      },
      sinks: tracing.sinks,
      ...(version && { workerDeploymentOptions: deploymentOf(version) }),
      shutdownGraceTime: (graceSeconds - CANCEL_SECONDS_BEFORE_END) * 1_000,
      shutdownForceTime: (graceSeconds - FORCE_SECONDS_BEFORE_END) * 1_000,
      ...QUEUES[taskQueue],
    });
  const creating = queues.map(create);
  const workers = await Promise.all(creating).catch(async (error: unknown) => {
    stopping.abort();
    await endCreated(creating);
    for (const thread of Object.values(threads)) await thread.destroy();
    throw error;
  });
  const shutDown = () => {
    stopping.abort();
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const done = runTogether(workers, shutDown);
  return {
    done,
    areRunning: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    async stop() {
      shutDown();
      await done.catch(() => undefined); // whoever awaits `done` has the reason
    },
  };
}

/**
 * Returns the options of versioned workers. Workflows move to the version that becomes current, and replay there: many of
 * them wait for months, and a version that they were pinned to would have to run as long.
 */
const deploymentOf = (version: WorkerDeploymentVersion) => ({
  version,
  useWorkerVersioning: true as const,
  defaultVersioningBehavior: 'AUTO_UPGRADE' as const,
});

/** Ends the workers that were created: running one is the only way to end it. */
async function endCreated(creating: Promise<Worker>[]): Promise<void> {
  const created = (await Promise.allSettled(creating)).flatMap((made) =>
    made.status === 'fulfilled' ? [made.value] : [],
  );
  await Promise.allSettled(created.map((worker) => worker.runUntil(Promise.resolve())));
}

/** Shuts down all workers if one fails: the caller restarts them together. */
async function runTogether(workers: Worker[], shutDown: () => void): Promise<void> {
  const runs = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      shutDown();
      throw error;
    }),
  );
  await Promise.allSettled(runs);
  await Promise.all(runs);
}
