import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';

const TIMEOUT_MS = 1_000;

/** Returns a free port of loopback, at which Temporal's SDK serves its metrics to this process. */
export async function freeLoopbackPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('No port of loopback is free');
  return address.port;
}

/** Returns the metrics of Temporal's SDK, in Prometheus' text format. */
export async function readTemporalMetrics(port: number): Promise<string> {
  const request = get({ host: '127.0.0.1', port, path: '/metrics', timeout: TIMEOUT_MS, agent: false });
  request.on('timeout', () => request.destroy(new Error('Temporal’s SDK did not answer in time')));
  const [response]: IncomingMessage[] = await once(request, 'response');
  if (response?.statusCode !== 200) throw new Error(`Temporal’s SDK answered ${response?.statusCode}`);
  return text(response);
}
