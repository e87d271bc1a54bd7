import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the next call gets in place of the true answer: a status, no answer at all, or the true one once `released` is resolved. */
type Script = number | 'hang-up' | 'not-json' | { released: Promise<void> };

export interface FakeFareHarbor {
  url: string;
  /** Every call so far. */
  calls: { path: string; appKey: string | undefined; userKey: string | undefined }[];
  /** Scripts the coming calls, one each. */
  next(...scripts: Script[]): void;
  close(): Promise<void>;
}

/** FareHarbor's API over real HTTP, as far as we call it. User keys that begin with `good` are accepted. */
export async function startFakeFareHarbor(): Promise<FakeFareHarbor> {
  const calls: FakeFareHarbor['calls'] = [];
  const scripts: Script[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const appKey = request.headers['x-fareharbor-api-app'] as string | undefined;
    const userKey = request.headers['x-fareharbor-api-user'] as string | undefined;
    calls.push({ path: request.url ?? '', appKey, userKey });
    const truth = userKey?.startsWith('good') ? 200 : 403;
    const script = scripts.shift() ?? truth;
    if (script === 'hang-up') return request.socket.destroy();
    if (typeof script === 'object') await script.released;
    const status = script === 'not-json' ? 200 : typeof script === 'object' ? truth : script;
    response.writeHead(status, { 'content-type': 'application/json' });
    if (script === 'not-json') return response.end('<html>maintenance</html>');
    return response.end(
      JSON.stringify(status === 200 ? { companies: [{ name: 'Sea Tours', shortname: 'seatours' }] } : { error: 'no' }),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    next: (...more) => void scripts.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
