import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Locks the data folder for this process. Returns false if another process has locked it. The lock is a listening
 * socket, released by the system however the process ends. It is outside the folder because a socket's path must be
 * short.
 */
export async function lockFolder(folder: string): Promise<boolean> {
  const name = createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16);
  const path = join(tmpdir(), `switchboard-${name}.sock`);
  if (await isLocked(path)) return false;
  rmSync(path, { force: true });
  const server = createServer((socket) => socket.destroy()).listen(path);
  await once(server, 'listening');
  server.unref();
  process.once('exit', () => rmSync(path, { force: true }));
  return true;
}

async function isLocked(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
