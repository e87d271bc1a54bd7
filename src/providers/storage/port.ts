import type { Readable } from 'node:stream';

/** Both ends included, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Bytes that can be read again from the start, for another try. */
export interface StoredContent {
  size: number;
  /** SHA-256, in hexadecimal. */
  sha256: string;
  open(): Readable;
}

/**
 * Keeps bytes under keys of ours: letters, digits, `-` and `/`. A key is put once and never changed. No implementation holds more of
 * an object in memory than a chunk. What goes wrong with a third party is a ProviderError.
 */
export interface Storage {
  /** The bytes survive a crash once this has resolved. Where it fails there is the whole object or none, never a part of one. */
  put(key: string, content: StoredContent): Promise<void>;
  /** The bytes, or those of the range; undefined where there is no such object. */
  get(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** Deleting what is not there does nothing. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}
