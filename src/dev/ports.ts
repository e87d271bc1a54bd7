import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** Whether something accepts TCP connections at this address. */
export function canConnect(host: string, port: number, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: limitMs });
    const answer = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => answer(true));
    socket.once('timeout', () => answer(false));
    socket.once('error', () => answer(false));
  });
}

/** Returns the preferred port if it is free, otherwise the next free one above it. Never returns a port in `taken`. */
export async function freePort(preferred: number, taken: Set<number> = new Set()): Promise<number> {
  for (let port = preferred; port < Math.min(preferred + 100, 65_536); port++) {
    if (taken.has(port) || !(await isFree(port))) continue;
    taken.add(port);
    return port;
  }
  return anyFreePort();
}

/** Returns a free port chosen by the system. */
export async function anyFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system assigned no port');
  return address.port;
}

async function isFree(port: number): Promise<boolean> {
  // Both addresses are tried: some systems let a program listen on all addresses while another listens on a single one.
  return (await canListen('127.0.0.1', port)) && (await canListen('0.0.0.0', port));
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
