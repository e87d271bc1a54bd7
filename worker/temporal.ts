import { Client, type WorkflowClientInterceptor } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../src/config.ts';
import { currentIds } from '../src/processes/current-work.ts';
import { withRequest } from '../src/temporal/request-header.ts';
import { WITHOUT_TRACING, type WorkerTracing } from './tracing.ts';

/** Whether Temporal could not be reached. */
export const isConnectionFailure = (error: unknown): boolean =>
  error instanceof Error && error.name === 'TransportError';

/** Workflows are started with the id of the request that the start follows from. */
const nameRequest: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next({ ...input, headers: withRequest(input.headers, currentIds().requestId) }),
  signalWithStart: (input, next) => next({ ...input, headers: withRequest(input.headers, currentIds().requestId) }),
};

export interface WorkerTemporal {
  connection: NativeConnection;
  /** Uses the workers' own connection, so the SDK may start a workflow's first task directly in them. */
  client: Client;
}

/**
 * Connects the workers and the relay. Rejects if Temporal cannot be reached. Later interruptions are retried
 * automatically.
 */
export async function connectWorkers(
  { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }: Config,
  tracing: Pick<WorkerTracing, 'client'> = WITHOUT_TRACING,
): Promise<WorkerTemporal> {
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  return {
    connection,
    client: new Client({
      connection,
      namespace: TEMPORAL_NAMESPACE,
      interceptors: { workflow: [...tracing.client, nameRequest] },
    }),
  };
}
