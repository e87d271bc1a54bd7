import type { FastifyRequest } from 'fastify';
import type { Deps } from '../api/deps.ts';
import { receiveFile } from '../api/edge/uploads.ts';
import { MAX_FILE_BYTES } from '../media/file-types.rules.ts';
import { storeUpload } from '../media/service.ts';

/** Stores a visitor's uploaded file like POST /media, and returns its name and a link to it. Throws the same errors. */
export async function receiveUpload(request: FastifyRequest, { db, storage, mediaLinks }: Deps) {
  const upload = await receiveFile(request, MAX_FILE_BYTES);
  try {
    const media = await storeUpload(db, storage, request.widgetOrg.id, upload);
    return { fileName: media.file_name, fileUrl: mediaLinks.linkOf(media) };
  } finally {
    await upload.bytes.remove();
  }
}
