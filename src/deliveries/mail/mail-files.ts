import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';

/** What is left of a file of an e-mail. */
export interface KeptFile {
  /** All of it, unless it is in a file or too large. Else its beginning, if that is looked into. */
  content: Buffer;
  /** The file that has the whole. */
  file?: { path: string; sha256: string };
  size: number;
}

/** More than a message has. Of further files, only the number is shown. */
const MAX_KEPT_FILES = 50;
const MAX_BEGINNING_BYTES = 65_536;
/** Reports about deliveries are read, and invitations compared. */
const READ_TYPES = /^(?:message\/(?:global-)?delivery-status|text\/calendar|application\/ics)$/;

/**
 * Returns a function that reads the files of one e-mail. Without a folder, they are in memory. With one, they are put
 * there, and those that are too large for a message are read to their end and dropped.
 */
export function createFileKeeper(folder: string | undefined) {
  let files = 0;
  return async (content: Readable, type: string): Promise<KeptFile> => {
    if (folder === undefined) {
      const bytes = await buffer(content);
      return { content: bytes, size: bytes.length };
    }
    const most = ++files <= MAX_KEPT_FILES ? MAX_FILE_BYTES : 0;
    return keepInFile(content, { path: join(folder, String(files)), most, isRead: READ_TYPES.test(type) });
  };
}

async function keepInFile(
  content: Readable,
  { path, most, isRead }: { path: string; most: number; isRead: boolean },
): Promise<KeptFile> {
  const beginning: Buffer[] = [];
  const hash = createHash('sha256');
  let size = 0;
  const upToMost = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      if (isRead && size < MAX_BEGINNING_BYTES) beginning.push(chunk.subarray(0, MAX_BEGINNING_BYTES - size));
      size += chunk.length;
      if (size > most) continue;
      hash.update(chunk);
      yield chunk;
    }
  };
  if (most === 0)
    for await (const _ of upToMost(content)); // read to its end, as the next part is behind it
  else await pipeline(content, upToMost, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  const isKept = most > 0 && size <= most;
  if (most > 0 && !isKept) await rm(path);
  return { content: Buffer.concat(beginning), size, ...(isKept && { file: { path, sha256: hash.digest('hex') } }) };
}
