import { Client, Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';
import type { Config } from '../config.ts';
import { describeQueues, type QueueState } from './queues.ts';

const HEALTH_TIMEOUT_MS = 2_000;
/** gRPC waits up to two minutes between attempts to connect unless told otherwise. */
const RECONNECT = { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 1_000 };
/** The SDK's own interceptor is the one that repeats calls. */
const WITHOUT_RETRIES: ConnectionOptions = { interceptors: [] };
const NOT_FOUND = 5;
/** No workflow has this id. To say so, Temporal has to ask its own database. */
const ABSENT_WORKFLOW = 'health-check';

/** Whether Temporal can take work. */
export type TemporalState = 'ok' | 'no-namespace';

export interface TemporalHealth {
  /**
   * Asks Temporal for its namespace and for a workflow, as work does. Rejects if it does not answer within 2 s or cannot
   * reach its own database.
   */
  check(): Promise<TemporalState>;
  /** Asks who polls each queue, and what waits there. Rejects if Temporal does not answer within 3 s. */
  describeQueues(): Promise<QueueState[]>;
}

export interface TemporalClient {
  client: Client;
  close(): Promise<void>;
}

/** Creates a client that connects at its first call. */
export const connectTemporal = (config: Config): TemporalClient => clientOf(connectionTo(config), config);

/**
 * Creates a client whose calls are tried once, for a program that lives on: the SDK's later attempts would end the process
 * if the connection were closed meanwhile.
 */
export const connectTemporalWithoutRetries = (config: Config): TemporalClient =>
  clientOf(connectionTo(config, WITHOUT_RETRIES), config);

const connectionTo = ({ TEMPORAL_ADDRESS: address }: Config, options: ConnectionOptions = {}): Connection =>
  Connection.lazy({ address, connectTimeout: '2s', channelArgs: RECONNECT, ...options });

const clientOf = (connection: Connection, { TEMPORAL_NAMESPACE: namespace }: Config): TemporalClient => ({
  client: new Client({ connection, namespace }),
  close: () => connection.close(),
});

/**
 * Creates what asks Temporal whether it can take work. Once Temporal is there, it is connected within about a second. A
 * call is tried once: the SDK's later attempts would end the process if the connection were closed meanwhile.
 */
export function connectTemporalHealth(config: Config): TemporalHealth & { close(): Promise<void> } {
  const { TEMPORAL_NAMESPACE: namespace } = config;
  const connection = connectionTo(config, WITHOUT_RETRIES);
  const client = new Client({ connection, namespace });
  return {
    describeQueues: () => describeQueues(client),
    check: () => connection.withDeadline(Date.now() + HEALTH_TIMEOUT_MS, () => stateOf(connection, namespace)),
    close: () => connection.close(),
  };
}

async function stateOf({ workflowService }: Connection, namespace: string): Promise<TemporalState> {
  try {
    await workflowService.describeNamespace({ namespace });
  } catch (error) {
    if (isNotFound(error)) return 'no-namespace';
    throw error;
  }
  try {
    await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId: ABSENT_WORKFLOW } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return 'ok';
}

const isNotFound = (error: unknown): boolean => isGrpcServiceError(error) && Number(error.code) === NOT_FOUND;
