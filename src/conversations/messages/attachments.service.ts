import { DomainError, type ErrorKind, ProviderError, refused } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { type Media, storeContent } from '../../media/service.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { ChatAttachment } from './schema.ts';

export { discardMedia as discardAttachments } from '../../media/service.ts';

export interface AttachmentDeps {
  storage: Storage;
  egress: Egress;
}

/** A file of a message, as stored in its event. */
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
 * Stores the files of a message, downloading those given by URL, and adds their rows to `kept` for the caller to
 * insert. Files before a failing one are added as well. Must not be called inside a transaction. Throws a DomainError
 * with the refused attachment and the reason.
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

/** Attributes an error about a file to its attachment. */
function errorForField({ kind, message }: DomainError, field: string): DomainError {
  const taken: ErrorKind[] = ['too_large', 'unsupported'];
  return taken.includes(kind) ? new DomainError(kind, `body.${field}: ${message}`) : refused(field, message);
}
