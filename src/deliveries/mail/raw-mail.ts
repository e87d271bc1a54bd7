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
/** Slow mail of one sender leaves room for others. */
const MAX_LARGE_MAILS_OF_CLIENT = 2;
const RETRY_SECONDS = 60;

/** So much of an e-mail is one row of the database. */
const CHUNK_BYTES = 512 * 1024;

export interface MailIntake {
  /**
   * Receives an e-mail, a chunk at a time. Throws tooLarge beyond the limit, and TooManyRequests while too many large ones
   * are in progress, of all or of a client that is not known to us. A refusal leaves the rest of the source unread.
   */
  receive(source: AsyncIterator<Uint8Array>, client?: string): Promise<RawMail>;
}

/** Creates the intake of a process for e-mails of at most `maxBytes`. */
export function createMailIntake(maxBytes: number): MailIntake {
  let largeMails = 0;
  const ofClients = new Map<string, number>();
  const take = (client: string | undefined): (() => void) => {
    const taken = client === undefined ? 0 : (ofClients.get(client) ?? 0);
    if (largeMails >= MAX_LARGE_MAILS || taken >= MAX_LARGE_MAILS_OF_CLIENT)
      throw new TooManyRequests('Too many large e-mails are in progress: send it again later', RETRY_SECONDS);
    largeMails++;
    if (client !== undefined) ofClients.set(client, taken + 1);
    return () => {
      largeMails--;
      if (client === undefined) return;
      const left = (ofClients.get(client) ?? 0) - 1;
      if (left > 0) ofClients.set(client, left);
      else ofClients.delete(client);
    };
  };
  const receiveLarge = async (source: AsyncIterable<Uint8Array>, client: string | undefined): Promise<RawMail> => {
    const release = take(client);
    try {
      const mail = mailInFile(await spool(source, maxBytes));
      const dispose = async () => {
        release();
        await mail[Symbol.asyncDispose]();
      };
      return { ...mail, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      release();
      throw error;
    }
  };
  return {
    async receive(source, client) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for (let next = await source.next(); next.done !== true; next = await source.next()) {
        chunks.push(next.value);
        size += next.value.length;
        if (size > MAX_BYTES_IN_MEMORY) return receiveLarge(continued(chunks, source), client);
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
