import type { FastifyRequest } from 'fastify';
import { invalid } from '../../../errors.ts';
import { type Spool, spool } from '../../../media/spool.ts';

/** Control characters other than tab, line feed and carriage return. No field of a contact may have one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

type Decoder = InstanceType<typeof TextDecoder>;

/** A received file of text. Its bytes are gone once it is disposed of. */
export interface TextUpload extends AsyncDisposable {
  bytes: Spool;
}

/** Lets requests have a file as their body, which is left unread. */
export const leaveUnread = (_request: FastifyRequest, _payload: unknown, done: (error: null) => void) => done(null);

/**
 * Receives a file of text, a chunk at a time. Sets `request.body` to its size and hash. `assertWanted` throws what the request
 * is refused for without its file.
 */
export async function receiveText(
  request: FastifyRequest,
  maxBytes: number,
  assertWanted: () => void = () => undefined,
): Promise<TextUpload> {
  try {
    assertWanted();
    const bytes = await spool(textIn(request.raw), maxBytes);
    request.body = { size: bytes.size, sha256: bytes.sha256 };
    return { bytes, [Symbol.asyncDispose]: bytes.remove };
  } finally {
    request.raw.resume(); // only then does the sender of a refused file see the answer
  }
}

/** Yields the chunks of a file. Throws invalid where it is not text in UTF-8. */
async function* textIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of chunks) {
    if (CONTROL_CHARACTER.test(decoded(decoder, chunk)))
      throw refused('must hold no control characters but tabs and line ends');
    yield chunk;
  }
  decoded(decoder, undefined);
}

function decoded(decoder: Decoder, chunk: Uint8Array | undefined): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw refused('must be in UTF-8: spreadsheets save it so as "CSV UTF-8"');
  }
}

const refused = (message: string) => invalid(`The file ${message}`, [{ path: 'body', message }]);
