import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TooManyRequests } from '../../errors.ts';
import { type Spool, spool } from '../../media/spool.ts';

/** An e-mail as it came. Its file, if it has one, is gone once it is disposed of. */
export interface RawMail extends AsyncDisposable {
  size: number;
  /** Its bytes, or the path of the temporary file that has them. */
  source: Buffer | string;
  /** Opens it from its beginning, any number of times. */
  open(): Readable;
  /** Yields it in parts of at most CHUNK_BYTES if it is in a file. Each is valid until the next: they share their memory. */
  parts(): AsyncIterable<Buffer>;
}

/** A larger e-mail is in a file instead of in memory. */
const MAX_BYTES_IN_MEMORY = 256 * 1024;
/** Of one process. As many more may be in its memory as it has connections. */
const MAX_LARGE_MAILS = 8;
const RETRY_SECONDS = 60;

/** So much of an e-mail is one row of the database. */
const CHUNK_BYTES = 512 * 1024;

export interface MailIntake {
  /**
   * Receives an e-mail, a chunk at a time. Throws tooLarge beyond the limit, and TooManyRequests while too many large ones
   * are in progress. A refusal leaves the rest of the source unread.
   */
  receive(source: AsyncIterator<Uint8Array>): Promise<RawMail>;
}

/** Creates the intake of a process for e-mails of at most `maxBytes`. */
export function createMailIntake(maxBytes: number): MailIntake {
  let largeMails = 0;
  const receiveLarge = async (source: AsyncIterable<Uint8Array>): Promise<RawMail> => {
    if (largeMails >= MAX_LARGE_MAILS)
      throw new TooManyRequests('Too many large e-mails are in progress: send it again later', RETRY_SECONDS);
    largeMails++;
    try {
      const mail = mailInFile(await spool(source, maxBytes));
      const release = async () => {
        largeMails--;
        await mail[Symbol.asyncDispose]();
      };
      return { ...mail, [Symbol.asyncDispose]: release };
    } catch (error) {
      largeMails--;
      throw error;
    }
  };
  return {
    async receive(source) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        chunks.push(next.value);
        size += next.value.length;
        if (size > MAX_BYTES_IN_MEMORY) return receiveLarge(continued(chunks, source));
      }
      return mailInMemory(Buffer.concat(chunks, size));
    },
  };
}

/** Yields what was read before, then the rest. Ending early leaves the rest unread. */
async function* continued(chunks: Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}

export const mailInMemory = (bytes: Buffer): RawMail => ({
  size: bytes.length,
  source: bytes,
  open: () => Readable.from([bytes], { objectMode: false }),
  async *parts() {
    if (bytes.length > 0) yield bytes;
  },
  [Symbol.asyncDispose]: async () => undefined,
});

/** The file goes with the e-mail. */
export const mailInFile = ({ path, size, remove }: Pick<Spool, 'path' | 'size' | 'remove'>): RawMail => ({
  size,
  source: path,
  open: () => createReadStream(path),
  parts: () => partsOf(path),
  [Symbol.asyncDispose]: remove,
});

async function* partsOf(path: string): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  await using file = await open(path);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
