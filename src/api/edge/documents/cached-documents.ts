import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import Negotiator from 'negotiator';

/** The highest levels take seconds for the script of the documentation. */
const QUALITY = 6;

/** Returns how Brotli compresses a text at a level, once it knows its length. */
export const brotliOf = (payload: string | Buffer, quality: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: payload.length,
  },
});

const compress = (encoding: Encoding, payload: string | Buffer, quality: number): Promise<Buffer> =>
  encoding === 'gzip' ? promisify(gzip)(payload) : promisify(brotliCompress)(payload, brotliOf(payload, quality));

type Encoding = 'br' | 'gzip';

interface CacheOptions {
  /** The `Cache-Control` of the answers. */
  caching?: string;
  /** The level of Brotli. */
  quality?: number;
}

interface CachedDocument {
  etag: string;
  /** The body in each encoding that a client has asked for. */
  encoded: Map<Encoding, Promise<Buffer>>;
}

/**
 * Returns a hook for routes whose answers stay the same while the process runs. It compresses each answer once for each
 * encoding, and answers 304 to clients that have it (RFC 9110, 8.8.3 and 13.1.2).
 */
export function createDocumentCache({
  caching = 'no-cache',
  quality = QUALITY,
}: CacheOptions = {}): onSendAsyncHookHandler {
  const documents = new Map<string, CachedDocument>();
  return async (request, reply, payload) => {
    if (reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return payload;
    const path = request.routeOptions.url ?? request.url;
    const known = documents.get(path) ?? { etag: etagOf(payload), encoded: new Map() };
    documents.set(path, known);
    return send(request, reply, { ...known, payload, caching, quality });
  };
}

const etagOf = (payload: string | Buffer) => `W/"${createHash('sha256').update(payload).digest('base64url')}"`;

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, encoded, payload, caching, quality }: CachedDocument & Required<CacheOptions> & { payload: string | Buffer },
) {
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': caching });
  if (request.headers['if-none-match']?.includes(etag)) {
    reply.code(304).removeHeader('content-length');
    return null;
  }
  const encoding = new Negotiator(request).encoding(['br', 'gzip', 'identity']);
  if (encoding !== 'br' && encoding !== 'gzip') return payload;
  const packed = encoded.get(encoding) ?? compress(encoding, payload, quality);
  encoded.set(encoding, packed);
  reply.header('content-encoding', encoding).removeHeader('content-length');
  return packed;
}
