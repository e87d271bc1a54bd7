import { NativeConnection, Worker } from '@temporalio/worker';
import { type ActivityDeps, createActivities } from '../activities/index.ts';
import type { TaskQueue } from '../src/temporal/contract.ts';
import { failureInterceptor } from './failure-interceptor.ts';
import { QUEUES } from './queues.ts';

const GRACE = '7 seconds';
const FORCE = '9 seconds';

export interface WorkersOptions {
  address: string;
  namespace: string;
  workflowBundle: { code: string };
  deps: ActivityDeps;
}

export interface Workers {
  /** Rejects when a worker fails; resolves after `stop`. */
  done: Promise<void>;
  /** Takes no more work, lets activities finish for some seconds, then ends. */
  stop(): Promise<void>;
}

/** Runs a worker for each task queue. Rejects when Temporal cannot be reached. */
export async function runWorkers({ address, namespace, workflowBundle, deps }: WorkersOptions): Promise<Workers> {
  const connection = await NativeConnection.connect({ address });
  const activities = createActivities(deps);
  const workers = await Promise.all(
    (Object.keys(QUEUES) as TaskQueue[]).map((taskQueue) =>
      Worker.create({
        connection,
        namespace,
        taskQueue,
        workflowBundle,
        activities,
        interceptors: { activity: [failureInterceptor] },
        shutdownGraceTime: GRACE,
        shutdownForceTime: FORCE,
        ...QUEUES[taskQueue],
      }),
    ),
  );
  const done = Promise.all(workers.map((worker) => worker.run())).then(() => connection.close());
  return {
    done,
    async stop() {
      for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}
