import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooLarge } from '../errors.ts';

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
   * Deletes the file. The caller of `spool` must call it. After a crash the file stays in the system's temporary
   * folder.
   */
  remove(): Promise<void>;
}

/**
 * Writes the source to a temporary file, a chunk at a time. A source larger than `maxBytes` is refused as soon as the
 * limit is exceeded. A failure leaves no file.
 */
export async function spool(source: Chunks, maxBytes: number): Promise<Spool> {
  const path = join(tmpdir(), `switchboard-${randomUUID()}`);
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
  return { path, size, sha256: hash.digest('hex'), open: () => createReadStream(path), remove };
}
