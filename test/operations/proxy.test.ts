import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { fileURLToPath } from 'node:url';
import { anyFreePort } from '../../src/dev/ports.ts';
import { eventually } from '../support/stack/stack.ts';

const CADDY = process.env.CADDY_PATH ?? '/usr/bin/caddy';
const CONFIG = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url));
const isInstalled = existsSync(CADDY);
if (!isInstalled) console.log(`The test of deploy/Caddyfile is skipped: there is no ${CADDY} (Debian’s package caddy)`);
const whenInstalled = isInstalled ? it : it.skip;

const children: ChildProcess[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers) server.close().closeAllConnections();
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

/** Starts the proxy in front of an api at a port. Returns its address. */
async function startProxy(apiPort: number, proxiesInFront: string): Promise<string> {
  const port = await anyFreePort();
  const env = {
    ...{ PATH: process.env.PATH, HOME: '/tmp', PROXY_PORT: String(port), PROXIES_IN_FRONT: proxiesInFront },
    ...{ API_HOST: 'localhost', API_PORT: String(apiPort) },
  };
  children.push(spawn(CADDY, ['run', '--config', CONFIG, '--adapter', 'caddyfile'], { env, stdio: 'ignore' }));
  return `http://127.0.0.1:${port}`;
}

/** Starts what answers with the addresses in X-Forwarded-For. */
async function startEcho(port: number): Promise<void> {
  const server = createServer((request, response) => response.end(String(request.headers['x-forwarded-for'])));
  servers.push(server);
  await once(server.listen(port, '127.0.0.1'), 'listening');
}

whenInstalled.each([
  ['', '127.0.0.1'],
  ['10.0.0.0/8 127.0.0.0/8', '203.0.113.9, 127.0.0.1'],
])(
  'deploy/Caddyfile waits for an api that starts, and believes X-Forwarded-For of "%s" only',
  async (trusted, seen) => {
    const apiPort = await anyFreePort();
    const url = await startProxy(apiPort, trusted);
    await eventually('the proxy', async () =>
      fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(500) }).then(
        Boolean,
        (error: Error) => error.name === 'TimeoutError',
      ),
    );
    const answer = fetch(url, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    await startEcho(apiPort);
    expect(await (await answer).text()).toBe(seen);
  },
);
