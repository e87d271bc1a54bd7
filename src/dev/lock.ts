import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Takes the data folder for this process; false when another one has it. The lock is a listening socket, which the
 * system lets go of when the process ends in whatever way. It is outside of the folder because a socket's path must be short.
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
