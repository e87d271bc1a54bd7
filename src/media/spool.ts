import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { codeOf, tooLarge } from '../errors.ts';

/** Bytes as they arrive, or all of them as one item. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** External bytes in a temporary file of this process, to be inspected and read any number of times. */
export interface Spool {
  path: string;
  size: number;
  /** SHA-256, in hexadecimal. */
  sha256: string;
  open(): Readable;
  /**
   * Deletes the file. The caller of `spool` must call it. The file of a process that was killed is deleted by the first
   * that starts on its machine an hour later, or after that.
   */
  remove(): Promise<void>;
}

/** Machines that share a temporary folder have processes of the same numbers. */
const PREFIX = `switchboard-${hostname().replaceAll(/[^A-Za-z0-9.-]/g, '_')}-`;

/** A younger file may belong to a process that cannot be seen from here, such as one of another container. */
const MIN_ABANDONED_MS = 3_600_000;

/**
 * Deletes the temporary files of processes of this machine that have ended without deleting them, an hour after their last
 * write. Call it at the start of a process, before it spools anything. It never throws: a folder that cannot be listed, and
 * another user's files, stay as they are.
 */
export async function removeAbandonedSpools(): Promise<void> {
  const folder = tmpdir();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = (name.startsWith(PREFIX) && /^(\d+)-[0-9a-f-]{36}$/.exec(name.slice(PREFIX.length))) || [];
    const path = join(folder, name);
    if (pid !== undefined && !isAtWork(Number(pid)) && (await isOld(path)))
      await rm(path, { force: true, recursive: true }).catch(() => undefined);
  }
}

const isOld = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > MIN_ABANDONED_MS,
    () => false,
  );

/** Whether another process of this machine has the number. */
function isAtWork(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

const newPath = () => join(tmpdir(), `${PREFIX}${process.pid}-${randomUUID()}`);

/** Creates a folder for temporary files of this process. The caller must remove it, as with a spool. */
export async function createSpoolFolder(): Promise<Pick<Spool, 'path' | 'remove'>> {
  const path = newPath();
  await mkdir(path, { mode: 0o700 });
  return { path, remove: () => rm(path, { force: true, recursive: true }) };
}

/**
 * Writes the source to a temporary file, a chunk at a time. A source larger than `maxBytes` is refused as soon as the
 * limit is exceeded. A failure leaves no file.
 */
export async function spool(source: Chunks, maxBytes: number): Promise<Spool> {
  const path = newPath();
  const remove = () => rm(path, { force: true });
  const hash = createHash('sha256');
  let size = 0;
  const measure = async function* (chunks: Chunks) {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(`The file is larger than the limit of ${maxBytes / 1024 ** 2} MB`);
      hash.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(source, measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    await remove();
    throw error;
  }
  return { ...spoolOf({ path, size, sha256: hash.digest('hex') }), remove };
}

/** Returns a temporary file as a spool. Removing it is left to whoever made it. */
export const spoolOf = ({ path, size, sha256 }: Pick<Spool, 'path' | 'size' | 'sha256'>): Spool => ({
  path,
  size,
  sha256,
  open: () => createReadStream(path),
  remove: async () => undefined,
});
