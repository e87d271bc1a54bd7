import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../errors.ts';
import type { Storage, StoredObject } from './port.ts';

const OWNER_ONLY = { file: 0o600, folder: 0o700 };

/** Stores objects in a folder, created with the first object. Several processes may share it. */
export function createFileStorage(root: string): Storage {
  const pathOf = (key: string) => join(root, key);

  return {
    async put(key, content) {
      const path = pathOf(key);
      const temporary = `${path}.${randomUUID()}.part`;
      await makeFolder(dirname(path));
      try {
        const file = createWriteStream(temporary, { flags: 'wx', mode: OWNER_ONLY.file, flush: true });
        await pipeline(content.open(), file);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },

    async get(key, range) {
      const file = await open(pathOf(key)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return file?.createReadStream(range);
    },

    delete: (key) => rm(pathOf(key), { force: true }),
    list: (report) => filesIn(root, report),
    close: async () => undefined,
  };
}

/**
 * Walks through the folder, one folder at a time. What is deleted meanwhile is left out, and so is all if the folder is not
 * there yet.
 */
async function* filesIn(root: string, report: (unreadable: string) => void): AsyncIterable<StoredObject> {
  const keyOf = (path: string) => relative(root, path).split(sep).join('/');
  const unlessGone = (path: string) => (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') report(keyOf(path) || '.');
  };
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of (await readdir(folder, { withFileTypes: true }).catch(unlessGone(folder))) ?? []) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      const found = await stat(path).catch(unlessGone(path));
      if (found !== undefined) yield { key: keyOf(path), size: found.size, changedAt: found.mtime };
    }
  }
}

/** A new folder survives a crash only after its parent folder is synced to disk. */
async function makeFolder(folder: string): Promise<void> {
  const topmost = await mkdir(folder, { recursive: true, mode: OWNER_ONLY.folder });
  if (topmost === undefined) return;
  for (let made = folder; made.length >= topmost.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
