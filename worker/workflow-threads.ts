import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';

/** A thread that runs the workflows of some workers. */
export interface WorkflowThread {
  /** Creates its workers. */
  WorkerClass: typeof Worker;
  /** Ends it, unless its workers have: for those that could not be created. */
  destroy(): Promise<void>;
}

/**
 * Returns a thread for the workflows of several workers: it takes 50 MB, and one for each queue would mostly be idle. It
 * starts with the first of the workers, and ends with the last of them.
 */
export function createWorkflowThread(): WorkflowThread {
  let thread: Promise<WorkflowCreator> | undefined;
  let users = 0;
  let isDestroyed = false;
  const destroy = async (started: WorkflowCreator | undefined) => {
    if (isDestroyed) return;
    isDestroyed = true;
    await started?.destroy();
  };
  const WorkerClass = class extends Worker {
    protected static override async createWorkflowCreator(
      ...options: Parameters<typeof Worker.createWorkflowCreator>
    ): Promise<WorkflowCreator> {
      users++;
      thread ??= Worker.createWorkflowCreator(...options);
      const shared = await thread;
      return {
        createWorkflow: (workflow) => shared.createWorkflow(workflow),
        async destroy() {
          users--;
          if (users === 0) await destroy(shared);
        },
      };
    }
  };
  return {
    WorkerClass,
    async destroy() {
      await destroy(await thread?.catch(() => undefined));
    },
  };
}
