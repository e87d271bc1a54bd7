import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Health } from './health.ts';

/** The metrics of a program in Prometheus' text format. */
export interface MetricsText {
  contentType: string;
  metrics(): Promise<string>;
}

export interface Operations {
  health: Health;
  metrics: MetricsText;
}

export interface OpsAnswer {
  status: number;
  type: string;
  body: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The answers of the operator's addresses, by path. */
export const OPERATIONS = {
  '/healthz': async (): Promise<OpsAnswer> => json(200, { status: 'ok' }),
  '/readyz': async ({ health }: Operations): Promise<OpsAnswer> => {
    const report = await health.read();
    return json(report.status === 'away' || report.status === 'stopping' ? 503 : 200, report);
  },
  '/metrics': async ({ metrics }: Operations): Promise<OpsAnswer> => ({
    status: 200,
    type: metrics.contentType,
    body: await metrics.metrics(),
  }),
};

const json = (status: number, content: object): OpsAnswer => ({
  status,
  type: JSON_TYPE,
  body: JSON.stringify(content),
});

const isOperation = (path: string): path is keyof typeof OPERATIONS => Object.hasOwn(OPERATIONS, path);

/** Serves the operator’s addresses on a separate port. */
export async function startOpsServer(
  operations: Operations,
  { host, port }: { host: string; port: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !isOperation(path))
      return send(response, json(404, { error: 'Only GET /healthz, /readyz, /metrics' }));
    OPERATIONS[path](operations).then(
      (answer) => send(response, answer),
      () => send(response, json(500, { error: 'The answer could not be made' })),
    );
  });
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () => closeServer(server),
  };
}

function send(response: ServerResponse, { status, type, body }: OpsAnswer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
