import type { Db } from '../../db/connect.ts';
import { DomainError, type ErrorKind, ProviderError, refused } from '../../errors.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import type { MediaLinks } from '../../media/links.ts';
import { findOwnMedia, type Media, openMedia, storeUnclaimedMedia } from '../../media/service.ts';
import type { Chunks } from '../../media/spool.ts';
import type { Egress } from '../../providers/egress/egress.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { ChatAttachment } from './schema.ts';

export { deleteUnclaimedMedia as discardAttachments } from '../../media/service.ts';

export interface AttachmentDeps {
  db: Db;
  mediaLinks: MediaLinks;
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
 * Stores the files of a message: downloads those given by URL, and copies those of own links. Adds each to `stored` as
 * soon as it is stored, also those before a failing one: the caller keeps or discards them. Must not be called inside a
 * transaction. Throws a DomainError with the refused attachment and the reason.
 */
export async function storeAttachments(
  deps: AttachmentDeps,
  orgId: string,
  attachments: ChatAttachment[],
  stored: Media[],
): Promise<void> {
  for (const [index, attachment] of attachments.entries()) {
    stored.push(await storeAttachment(deps, orgId, attachment, `message.attachments.${index}`));
  }
}

async function storeAttachment(
  deps: AttachmentDeps,
  orgId: string,
  { name, url, base64 = '' }: ChatAttachment,
  field: string,
): Promise<Media> {
  const content = url === undefined ? [bytesOf(base64)] : await contentOf(deps, orgId, url, `${field}.url`);
  try {
    return await storeUnclaimedMedia(deps.db, deps.storage, orgId, { content, fileName: name });
  } catch (error) {
    throw error instanceof DomainError
      ? errorForField(error, `${field}.${url === undefined ? 'base64' : 'url'}`)
      : error;
  }
}

const bytesOf = (base64: string): Buffer => Buffer.from(base64.slice(base64.indexOf(',') + 1), 'base64');

/**
 * Returns the bytes behind a URL. A file of the org stored here is not downloaded: this process may not reach its own
 * address. The message gets a copy of it, as a redaction deletes the files of a message.
 */
async function contentOf(
  { db, mediaLinks, storage, egress }: AttachmentDeps,
  orgId: string,
  url: string,
  field: string,
): Promise<Chunks> {
  try {
    const own = await findOwnMedia(db, mediaLinks, orgId, url);
    if (own !== undefined) return await openMedia(storage, own);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refused(field, error.kind === 'gone' ? error.message : 'leads to a file that is deleted: upload it again');
  }
  return [await download(egress, url, field)];
}

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
