import { Client, Connection } from '@temporalio/client';
import type { Config } from '../config.ts';

const HEALTH_TIMEOUT_MS = 2_000;

export interface TemporalHealth {
  /** Resolves when Temporal's frontend answers. Rejects after 2 s. */
  check(): Promise<void>;
}

export interface TemporalClient extends TemporalHealth {
  client: Client;
  close(): Promise<void>;
}

/**
 * Creates a client that connects at its first call, so that the api starts and accepts requests while Temporal is
 * unavailable.
 */
export function connectTemporal({ TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE }: Config): TemporalClient {
  const connection = Connection.lazy({ address: TEMPORAL_ADDRESS, connectTimeout: '2s' });
  return {
    client: new Client({ connection, namespace: TEMPORAL_NAMESPACE }),
    async check() {
      await connection.withDeadline(Date.now() + HEALTH_TIMEOUT_MS, () => connection.workflowService.getSystemInfo({}));
    },
    close: () => connection.close(),
  };
}
