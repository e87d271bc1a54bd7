import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Deps } from '../api/deps.ts';
import { once } from '../api/edge/once.ts';
import { receiveFile, uploads } from '../api/edge/uploads.ts';
import { inTransaction } from '../db/transaction.ts';
import { errorResponses } from '../schemas/error-answers.ts';
import { attachmentNamed } from './file-names.rules.ts';
import { MAX_FILE_BYTES } from './file-types.rules.ts';
import type { Media } from './queries.ts';
import { rangeOf } from './ranges.rules.ts';
import { FileUpload, LinkRef, UploadedFile } from './schema.ts';
import { deleteUnclaimedMedia, getLinkedMedia, keepMedia, openMedia, storeUnclaimedUpload } from './service.ts';

export const mediaRoutes: FastifyPluginAsyncZod<Deps> = async (app, { db: pool, storage, mediaLinks }) => {
  await app.register(uploads);

  app.post(
    '/media',
    once({
      config: { scope: 'media:write' },
      schema: {
        operationId: 'uploadFile',
        summary: 'Upload a file',
        tags: ['media'],
        description:
          'Stores a file of at most 5 MB: PNG, JPEG, GIF, WebP, PDF, MP4, MOV, WebM, MP3, Ogg, WAV, M4A, docx, xlsx, xls, pptx, plain text or CSV, detected by its bytes. Anything else is a 415 with the detected type, and a request without a file a 400. `fileUrl` is valid for a week.',
        consumes: ['multipart/form-data'],
        body: FileUpload,
        response: { 201: UploadedFile, ...errorResponses(403) },
      },
      receive: async (request) => receiveFile(request, MAX_FILE_BYTES),
      prepare: async ({ org }, { received: upload, ifRefused }) => {
        const media = await storeUnclaimedUpload(pool, storage, org.id, upload);
        ifRefused(() => deleteUnclaimedMedia(pool, storage, [media]));
        return media;
      },
      act: async ({ db, org }, { prepared: media, reply }) => {
        await inTransaction(db, (trx) => keepMedia(trx, org.id, [media]));
        reply.code(201);
        const { id, file_name: fileName, mime_type, size } = media;
        return { answer: { id, fileName, fileUrl: mediaLinks.linkOf(media), mime_type, size } };
      },
    }),
  );

  app.route({
    method: ['GET', 'HEAD'],
    url: '/media/:token',
    config: { scope: 'public', limitedBy: 'files' },
    schema: { params: LinkRef, hide: true },
    handler: async ({ db, params, method, headers }, reply) => {
      const media = await getLinkedMedia(db, mediaLinks, params.token);
      const etag = `"${media.id}"`;
      reply.headers({ ...headersOf(media), etag });
      if (headers['if-none-match'] === etag) return reply.code(304).send();

      const isOfThis = headers['if-range'] === undefined || headers['if-range'] === etag;
      const range = rangeOf(isOfThis ? headers.range : undefined, media.size);
      if (range === 'unsatisfiable') {
        return reply.code(416).header('content-range', `bytes */${media.size}`).send();
      }
      const part = range === 'whole' ? undefined : range;
      reply.header('content-length', part === undefined ? media.size : part.end - part.start + 1);
      if (part !== undefined) {
        reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${media.size}`);
      }
      return reply.send(method === 'HEAD' ? undefined : await openMedia(storage, media, part));
    },
  });
};

/**
 * A file is saved, never run: whatever its content, no browser treats it as another type, shows it under our name or
 * runs it.
 */
const headersOf = ({ file_name, mime_type }: Media) => ({
  'content-type': mime_type.startsWith('text/') ? `${mime_type}; charset=utf-8` : mime_type,
  'content-disposition': attachmentNamed(file_name),
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin', // pages with the link may show it as an image
  'cache-control': 'private, max-age=3600',
  'accept-ranges': 'bytes',
});
