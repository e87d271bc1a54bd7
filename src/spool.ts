import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooLarge } from './errors.ts';

/** Bytes as they come, or all of them as one item. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Bytes from the outside in a temporary file of this process: they can be looked at, and read as often as need be. */
export interface Spool {
  path: string;
  size: number;
  /** SHA-256, in hexadecimal. */
  sha256: string;
  open(): Readable;
  /** Whoever spooled must call it. A crash leaves the file to the system's temporary folder. */
  remove(): Promise<void>;
}

/** Writes down what comes, a chunk at a time. More than `maxBytes` is refused as soon as it is seen; a failure leaves no file. */
export async function spool(source: Chunks, maxBytes: number): Promise<Spool> {
  const path = join(tmpdir(), `switchboard-${randomUUID()}`);
  const remove = () => rm(path, { force: true });
  const hash = createHash('sha256');
  let size = 0;
  const measure = async function* (chunks: Chunks) {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > maxBytes)
        throw tooLarge(`The file has more than ${maxBytes / 1024 ** 2} MB, which is the most that is taken`);
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
  return { path, size, sha256: hash.digest('hex'), open: () => createReadStream(path), remove };
}
