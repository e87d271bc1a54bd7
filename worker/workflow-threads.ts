import { Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';

/**
 * Returns a class of workers that run their workflows in the same threads. A thread takes 50 MB, and one for each queue
 * would mostly be idle. A new workflow goes to the thread with the fewest. The threads end with the last of the workers.
 */
export function createWorkerClass(): typeof Worker {
  let threads: Promise<WorkflowCreator> | undefined;
  let users = 0;
  return class extends Worker {
    protected static override async createWorkflowCreator(
      ...options: Parameters<typeof Worker.createWorkflowCreator>
    ): Promise<WorkflowCreator> {
      users++;
      threads ??= Worker.createWorkflowCreator(...options);
      const shared = await threads;
      return {
        createWorkflow: (workflow) => shared.createWorkflow(workflow),
        async destroy() {
          users--;
          if (users === 0) await shared.destroy();
        },
      };
    }
  };
}
