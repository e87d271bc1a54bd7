import type { Readable } from 'node:stream';

/** Both ends inclusive, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes readable again from the start for a retry. */
export interface StoredContent {
  size: number;
  /** SHA-256, in hexadecimal. */
  sha256: string;
  open(): Readable;
}

/**
 * Stores bytes under our keys: letters, digits, `-` and `/`. A key is put once and never changed. No implementation has
 * more than a chunk of an object in memory. Failures of a third party are ProviderErrors.
 */
export interface Storage {
  /**
   * After this resolves, the bytes survive a crash. After a failure the object is either complete or absent, never
   * partial.
   */
  put(key: string, content: StoredContent): Promise<void>;
  /** Returns the bytes, or those of the range. Returns undefined if the object does not exist. */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Deletes an object. Does nothing if it does not exist. */
  delete(key: string): Promise<void>;
  /**
   * Lists the objects, in no order, with whatever else is in the place. Reports what cannot be read, and leaves it out.
   * Absent where the store cannot be listed here.
   */
  list?(report: (unreadable: string) => void): AsyncIterable<StoredObject>;
  close(): Promise<void>;
}

export interface StoredObject {
  key: string;
  size: number;
  changedAt: Date;
}
