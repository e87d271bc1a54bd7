import { randomInt } from 'node:crypto';
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

/** The system assigns ports above these to outgoing connections. One of those could take a port before its server does. */
const QUIET_PORTS = { first: 15_000, last: 32_000 };
const MAX_TRIES = 100;

/** Returns a free port that no outgoing connection takes. */
export async function anyFreePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const port = randomInt(QUIET_PORTS.first, QUIET_PORTS.last + 1);
    if (await isFree(port)) return port;
  }
  throw new Error('No free port was found');
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
