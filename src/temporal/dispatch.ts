import { type Client, isGrpcServiceError, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from './search-attributes.ts';

/**
 * gRPC codes about the server's state, not about the call: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED,
 * ABORTED, INTERNAL, UNAVAILABLE.
 */
const SERVER_STATES = new Set([1, 2, 4, 8, 10, 13, 14]);

/** A command as stored in the outbox. */
export interface DispatchedCommand {
  org_id: string;
  kind: 'start' | 'signal';
  type: string;
  subject_id: string;
  workflow_id: string;
  task_queue: string;
  signal: string | null;
  summary: string | null;
  payload: object;
}

/** What the Temporal UI shows of a workflow from its start. */
export interface Heading {
  title?: string | undefined;
  details?: string | undefined;
}

/** How a workflow starts. */
export interface Start extends Heading {
  /** Its first task may go to a worker of this process at once. Not where workers are versioned: theirs may not be the current version. */
  isEager: boolean;
}

const DISPATCH_TIMEOUT_MS = 10_000;

/**
 * Hands one command to Temporal, within 10 s. A start is ignored if its workflow id was ever used: it repeats an
 * earlier start. What is said of the start holds for a workflow that starts.
 */
export const dispatch = (client: Client, command: DispatchedCommand, start: Start): Promise<void> =>
  client.withDeadline(Date.now() + DISPATCH_TIMEOUT_MS, () => send(client, command, start));

async function send(client: Client, command: DispatchedCommand, { title, details, isEager }: Start): Promise<void> {
  const { org_id: orgId, subject_id: subjectId, workflow_id: workflowId } = command;
  const options = {
    workflowId,
    taskQueue: command.task_queue,
    args: [command.payload],
    typedSearchAttributes: searchAttributes({ orgId, subjectId, workflowId, title }),
    staticSummary: command.summary ?? undefined,
    staticDetails: details,
    priority: { fairnessKey: orgId },
  };
  if (command.kind === 'signal') {
    await client.workflow.signalWithStart(command.type, {
      ...options,
      signal: command.signal as string,
      signalArgs: [],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return;
  }
  try {
    await client.workflow.start(command.type, {
      ...options,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      requestEagerStart: isEager && client.connection instanceof NativeConnection, // in a worker of this process, if it has capacity
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

/** Whether Temporal itself is unavailable or overloaded, so that every other command would fail as well. */
export function isTemporalUnavailable(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return isGrpcServiceError(cause) && SERVER_STATES.has(cause.code);
}
