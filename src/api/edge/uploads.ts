import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { codeOf, DomainError, invalid, messageOf } from '../../errors.ts';
import { type Spool, spool } from '../../media/spool.ts';

/** A form has its file and a few ignored fields. spool.ts limits the size of uploads. */
const LIMITS = { fileSize: Number.POSITIVE_INFINITY, files: 2, fields: 100, fieldSize: 4_096, headerPairs: 50 };

/** A received file. Its bytes are gone once it is disposed of. */
export interface Upload extends AsyncDisposable {
  fileName: string;
  bytes: Spool;
}

/** Accepts multipart/form-data (RFC 7578) on the routes of one plugin. All other routes answer it with 415. */
export const uploads = fastifyPlugin(async (app: FastifyInstance) => {
  await app.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
});

/**
 * Receives the one file of a form, in its field `file`, a chunk at a time. Sets `request.body` to the file's name, size
 * and hash. The caller must dispose of the upload. After a refusal the rest of the upload is read and ignored:
 * only then does the sender see the answer.
 */
export async function receiveFile(request: FastifyRequest, maxBytes: number): Promise<Upload> {
  if (!request.isMultipart()) throw noFile();
  let upload: Omit<Upload, keyof AsyncDisposable> | undefined;
  try {
    for await (const part of request.parts()) {
      if (part.type === 'field') continue;
      if (part.fieldname !== 'file')
        throw refusal(`must be in the field "file", not ${JSON.stringify(part.fieldname)}`);
      if (upload !== undefined) throw refusal('must be the only one');
      upload = { fileName: part.filename ?? '', bytes: await spool(part.file, maxBytes) };
    }
    if (upload === undefined) throw noFile();
  } catch (error) {
    await upload?.bytes.remove();
    throw isOfForm(request, error) ? refusal(`cannot be read from this form: ${messageOf(error)}`) : error;
  } finally {
    request.raw.resume();
  }
  const { fileName, bytes } = upload;
  request.body = { file: { fileName, size: bytes.size, sha256: bytes.sha256 } };
  return { fileName, bytes, [Symbol.asyncDispose]: bytes.remove };
}

const refusal = (message: string) => invalid(`The file ${message}`, [{ path: 'body.file', message }]);
const noFile = () => refusal('is missing: send it as multipart/form-data, in the field "file"');

/**
 * Whether the form is cut off, malformed or beyond the limits. The parser reports these by an error without a code, or
 * with one of Fastify's codes.
 */
function isOfForm({ raw }: FastifyRequest, error: unknown): boolean {
  if (raw.readableAborted) return true;
  const code = codeOf(error);
  return !(error instanceof DomainError) && (code === undefined || code.startsWith('FST_'));
}
