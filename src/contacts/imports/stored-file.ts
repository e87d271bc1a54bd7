import type { Readable } from 'node:stream';
import { DomainError } from '../../errors.ts';
import type { Storage } from '../../providers/storage/port.ts';

/** Some four minutes after the first: the storage may be mounted late, or its backup brought back. */
const LAST_ATTEMPT = 10;

/** The file of an import is in storage no more. */
export class FileLost extends DomainError {
  constructor() {
    super('gone', 'The file is no longer in storage. What was imported stays: import the file again for the rest');
  }
}

interface StoredFile {
  storage_key: string;
  /** Bytes. */
  size: string;
  /** The bytes imported so far. */
  position: string;
}

/** Opens the rest of an import's file. Without the file, throws FileLost in the last attempt. Before it, throws an error. */
export async function openRest(
  storage: Storage,
  { storage_key, size, position }: StoredFile,
  attempt: number,
): Promise<Readable> {
  const content = await storage.get(storage_key, { start: Number(position), end: Number(size) - 1 });
  if (content !== undefined) return content;
  if (attempt >= LAST_ATTEMPT) throw new FileLost();
  throw new Error(`The file ${storage_key} of an import is not in storage`);
}
