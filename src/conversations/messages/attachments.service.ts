import { DomainError, type ErrorKind, ProviderError, refused } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { type Media, storeContent } from '../../media/service.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { ChatAttachment } from './schema.ts';

export interface AttachmentDeps {
  storage: Storage;
  egress: Egress;
}

/** A file that came with a message, as its event names it. */
export interface StoredAttachment {
  media_id: string;
  name: string;
  mime_type: string;
  size: number;
}

export const attachmentOf = ({ id, file_name, mime_type, size }: Media): StoredAttachment => ({
  media_id: id,
  name: file_name,
  mime_type,
  size,
});

/**
 * Puts the files of a message into storage, fetching those that are given by URL, and adds their rows, which are still to be inserted, to
 * `kept`: those before one that fails are there as well. Not for inside of a transaction. Throws a DomainError that names the attachment
 * which cannot be taken, and why.
 */
export async function storeAttachments(
  deps: AttachmentDeps,
  orgId: string,
  attachments: ChatAttachment[],
  kept: Media[],
): Promise<void> {
  for (const [index, attachment] of attachments.entries()) {
    kept.push(await storeAttachment(deps, orgId, attachment, `message.attachments.${index}`));
  }
}

/** Deletes the bytes of files whose rows were not inserted. */
export async function deleteAttachments({ storage }: Pick<AttachmentDeps, 'storage'>, files: Media[]): Promise<void> {
  for (const { key } of files) await storage.delete(key);
}

async function storeAttachment(
  { storage, egress }: AttachmentDeps,
  orgId: string,
  { name, url, base64 = '' }: ChatAttachment,
  field: string,
): Promise<Media> {
  const bytes = url === undefined ? bytesOf(base64) : await download(egress, url, `${field}.url`);
  try {
    return await storeContent(storage, orgId, { content: [bytes], fileName: name });
  } catch (error) {
    throw error instanceof DomainError
      ? errorForField(error, `${field}.${url === undefined ? 'base64' : 'url'}`)
      : error;
  }
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64');

async function download(egress: Egress, url: string, field: string): Promise<Buffer> {
  const { status, bytes } = await egress.download(url, { maxBytes: MAX_FILE_BYTES }).catch((error: unknown) => {
    throw error instanceof ProviderError ? refused(field, error.message) : error;
  });
  if (status !== 200) throw refused(field, `answered ${status} in place of the file`);
  return bytes;
}

/** What is wrong with a file, said of the attachment that it is. */
function errorForField({ kind, message }: DomainError, field: string): DomainError {
  const taken: ErrorKind[] = ['too_large', 'unsupported'];
  return taken.includes(kind) ? new DomainError(kind, `body.${field}: ${message}`) : refused(field, message);
}
