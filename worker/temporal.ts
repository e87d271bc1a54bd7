import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { Config } from '../src/config.ts';

export interface WorkerTemporal {
  connection: NativeConnection;
  /** On the workers' own connection, so that a workflow that it starts may begin in them at once. */
  client: Client;
}

/** Connects workers, and the relay beside them. Rejects when Temporal cannot be reached; later it is reached again by itself. */
export async function connectWorkers({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }: Config): Promise<WorkerTemporal> {
  const connection = await NativeConnection.connect({ address: TEMPORAL_ADDRESS });
  return { connection, client: new Client({ connection, namespace: TEMPORAL_NAMESPACE }) };
}
