import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import Negotiator from 'negotiator';

/** The highest level, 11, takes seconds for the script of the documentation. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
const ENCODERS = {
  br: (payload: string | Buffer) => promisify(brotliCompress)(payload, BROTLI),
  gzip: (payload: string | Buffer) => promisify(gzip)(payload),
};
type Encoding = keyof typeof ENCODERS;

interface CachedDocument {
  etag: string;
  /** The body in each encoding that a client has asked for. */
  encoded: Map<Encoding, Promise<Buffer>>;
}

/**
 * Returns a hook for routes whose answers stay the same while the process runs. It compresses each answer once for each
 * encoding, and answers 304 to clients that have it (RFC 9110, 8.8.3 and 13.1.2).
 */
export function createDocumentCache(): onSendAsyncHookHandler {
  const documents = new Map<string, CachedDocument>();
  return async (request, reply, payload) => {
    if (reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return payload;
    const path = request.routeOptions.url ?? request.url;
    const cached = documents.get(path) ?? { etag: etagOf(payload), encoded: new Map() };
    documents.set(path, cached);
    return send(request, reply, { ...cached, payload });
  };
}

const etagOf = (payload: string | Buffer) => `W/"${createHash('sha256').update(payload).digest('base64url')}"`;

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, encoded, payload }: CachedDocument & { payload: string | Buffer },
) {
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
  if (request.headers['if-none-match']?.includes(etag)) {
    reply.code(304).removeHeader('content-length');
    return null;
  }
  const encoding = new Negotiator(request).encoding(['br', 'gzip', 'identity']);
  if (encoding !== 'br' && encoding !== 'gzip') return payload;
  const packed = encoded.get(encoding) ?? ENCODERS[encoding](payload);
  encoded.set(encoding, packed);
  reply.header('content-encoding', encoding).removeHeader('content-length');
  return packed;
}
