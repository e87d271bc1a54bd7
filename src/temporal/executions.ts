import { type Client, WorkflowNotFoundError } from '@temporalio/client';

/** What Temporal knows of a workflow. `stopped` is a cancellation or termination, `ended` any other end. */
export type ExecutionState = 'running' | 'stopped' | 'ended' | 'absent';

/**
 * Returns the states of workflows by their ids. One query finds those that run. The others are described one by one,
 * because the list is some seconds behind.
 */
export async function findExecutionStates(client: Client, workflowIds: string[]): Promise<Map<string, ExecutionState>> {
  const states = new Map<string, ExecutionState>();
  if (workflowIds.length === 0) return states;
  const ids = workflowIds.map((id) => `'${id}'`).join(', ');
  for await (const { workflowId } of client.workflow.list({
    query: `ExecutionStatus = 'Running' and WorkflowId in (${ids})`,
  }))
    states.set(workflowId, 'running');
  const unlisted = workflowIds.filter((id) => !states.has(id));
  await Promise.all(unlisted.map(async (id) => states.set(id, await describeState(client, id))));
  return states;
}

async function describeState(client: Client, workflowId: string): Promise<ExecutionState> {
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return 'running';
    return status.name === 'CANCELLED' || status.name === 'TERMINATED' ? 'stopped' : 'ended';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'absent';
    throw error;
  }
}

/** Returns since when Temporal has every workflow: those that ended before may be forgotten. */
export async function findKnownSince(client: Client): Promise<Date> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  return new Date(Date.now() - Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000);
}
