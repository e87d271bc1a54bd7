import type { Db, Trx } from '../db/connect.ts';
import { inTransaction } from '../db/transaction.ts';
import { gone, invalid, notFound, unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import type { ByteRange, Storage } from '../providers/storage/port.ts';
import { detectType } from './detection.ts';
import { cleanFileName } from './file-names.rules.ts';
import { MAX_FILE_BYTES } from './file-types.rules.ts';
import type { MediaLinks } from './links.ts';
import {
  deleteMediaRows,
  findMedia,
  forgetUnclaimedMedia,
  giveUpUnclaimedMedia,
  insertDeletedMedia,
  insertMedia,
  insertUnclaimedMedia,
  keepUnclaimedMedia,
  listDeletedMedia,
  listMedia,
  type Media,
} from './queries.ts';
import { type Chunks, type Spool, spool } from './spool.ts';

export { insertMedia as recordMedia, listMedia as listFiles, type Media, softDeleteMedia } from './queries.ts';

const DELETES_PER_BATCH = 100;

export interface NewFile {
  content: Chunks;
  /** The sender's name for it. */
  fileName: string;
  /** The file's id, where a repeated call must give the same. */
  id?: string | undefined;
}

/**
 * Stores a file of the org: of an accepted type, at most 5 MB. Inserts the row after storing the bytes, so a row always
 * has its bytes.
 */
export async function storeMedia(
  db: Db,
  storage: Storage,
  orgId: string,
  { content, fileName }: NewFile,
): Promise<Media> {
  const media = await storeContent(storage, orgId, { content, fileName });
  await insertMedia(db, media);
  return media;
}

/** Puts a file of streamed bytes into storage, like storeBytes. */
export async function storeContent(
  storage: Storage,
  orgId: string,
  { content, fileName, id }: NewFile,
): Promise<Media> {
  const spooled = await spool(content, MAX_FILE_BYTES);
  try {
    return await storeBytes(storage, orgId, { fileName, bytes: spooled, id });
  } finally {
    await spooled.remove();
  }
}

/**
 * Puts a file's bytes into storage and returns the row to insert. A crash in between leaves an object without a row: it
 * is for work that is repeated with the same id.
 */
export async function storeBytes(
  storage: Storage,
  orgId: string,
  { fileName, bytes, id = newId() }: Pick<NewFile, 'fileName' | 'id'> & { bytes: Spool },
): Promise<Media> {
  const media = await describeBytes(orgId, { fileName, bytes, id });
  await storage.put(media.key, bytes);
  return media;
}

/** Returns the row of a file. Throws invalid for an empty one, and unsupportedMedia for a type that is not accepted. */
async function describeBytes(
  orgId: string,
  { fileName, bytes, id }: { fileName: string; bytes: Spool; id: string },
): Promise<Media> {
  if (bytes.size === 0) throw invalid('The file is empty', [{ path: 'body.file', message: 'must not be empty' }]);
  const type = await detectType(bytes.path, fileName);
  const key = `${orgId}/${id}`;
  return { org_id: orgId, id, key, file_name: cleanFileName(fileName, type), mime_type: type.mime, size: bytes.size };
}

/**
 * Stores a file that nobody has yet. It is deleted unless keepMedia keeps it, or after an hour: then the purge finds it, also
 * after a crash.
 */
export async function storeUnclaimedMedia(
  db: Db,
  storage: Storage,
  orgId: string,
  { content, fileName }: NewFile,
): Promise<Media> {
  const bytes = await spool(content, MAX_FILE_BYTES);
  try {
    const media = await describeBytes(orgId, { fileName, bytes, id: newId() });
    await storeUnclaimedBytes(db, storage, { media, bytes });
    return media;
  } finally {
    await bytes.remove();
  }
}

/** Stores a file that was uploaded, like storeUnclaimedMedia. */
export async function storeUnclaimedUpload(
  db: Db,
  storage: Storage,
  orgId: string,
  { fileName, bytes }: { fileName: string; bytes: Spool },
): Promise<Media> {
  const media = await describeBytes(orgId, { fileName, bytes, id: newId() });
  await storeUnclaimedBytes(db, storage, { media, bytes });
  return media;
}

/** An object of another table than that of media. Its key has its org's id. */
interface OtherObject {
  org_id: string;
  id: string;
  key: string;
}

/**
 * Stores an object for a row of another table. It is deleted unless keepObject is called in the transaction of that row, or
 * after an hour: then the purge finds it, also after a crash.
 */
export async function storeUnclaimedObject(db: Db, storage: Storage, object: OtherObject, bytes: Spool): Promise<void> {
  const media = { ...object, file_name: '', mime_type: 'application/octet-stream', size: bytes.size };
  await storeUnclaimedBytes(db, storage, { media, bytes });
}

/** Leaves an object to the row of another table, with the transaction. Throws unavailable where it was deleted meanwhile. */
export async function keepObject(trx: Trx, orgId: string, id: string): Promise<void> {
  if ((await forgetUnclaimedMedia(trx, orgId, [id])) === 0) throw notStoredInTime();
}

/** An Idempotency-Key does not keep this answer: the request can be sent again with it. */
const notStoredInTime = () => unavailable('The files were not stored in time: send the request again');

/** Stores a file of our own making that nobody has yet, like storeUnclaimedMedia. Its type is what we say. */
export async function storeOwnFile(
  db: Db,
  storage: Storage,
  orgId: string,
  { bytes, ...described }: Pick<Media, 'file_name' | 'mime_type'> & { bytes: Spool },
): Promise<Media> {
  const id = newId();
  const media = { org_id: orgId, id, key: `${orgId}/${id}`, ...described, size: bytes.size };
  await storeUnclaimedBytes(db, storage, { media, bytes });
  return media;
}

async function storeUnclaimedBytes(
  db: Db,
  storage: Storage,
  { media, bytes }: { media: Media; bytes: Spool },
): Promise<void> {
  await insertUnclaimedMedia(db, media);
  await storage.put(media.key, bytes);
}

/** Keeps files that nobody had yet, with the transaction. Throws unavailable where one was deleted meanwhile. */
export async function keepMedia(trx: Trx, orgId: string, files: Media[]): Promise<void> {
  const ids = files.map(({ id }) => id);
  if (ids.length > 0 && (await keepUnclaimedMedia(trx, orgId, ids)) < ids.length) throw notStoredInTime();
}

/** Deletes files of an org that nobody has kept. purgeDeletedMedia deletes what cannot be deleted now. */
export const deleteUnclaimedMedia = async (
  db: Db,
  storage: Storage,
  files: Pick<Media, 'org_id' | 'key'>[],
): Promise<void> => purge(db, storage, await giveUpUnclaimedMedia(db, files));

/** Returns the file of a link. Throws notFound for a foreign link or a deleted file, and gone for an expired link. */
export async function getLinkedMedia(db: Db, links: MediaLinks, token: string): Promise<Media> {
  const link = links.read(token);
  if (link === undefined) throw notFound('file');
  if (link.isExpired) throw gone('This link has expired: ask for a new one where it came from');
  const media = await findMedia(db, link.orgId, link.mediaId);
  if (media === undefined) throw notFound('file');
  return media;
}

/**
 * Returns the org's file of a link, or undefined for an address that is no link to a file of the org. Throws notFound for a
 * deleted file, and gone for an expired link.
 */
export async function findOwnMedia(db: Db, links: MediaLinks, orgId: string, url: string): Promise<Media | undefined> {
  const token = tokenIn(url);
  return links.read(token)?.orgId === orgId ? getLinkedMedia(db, links, token) : undefined;
}

const tokenIn = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

/**
 * Finds the org's files of links, in order. The result is undefined for links of other orgs, expired links and deleted
 * files.
 */
export async function findLinkedMedia(
  db: Db,
  links: MediaLinks,
  orgId: string,
  urls: string[],
): Promise<(Media | undefined)[]> {
  const ids = urls.map((url) => {
    const link = links.read(tokenIn(url));
    return link === undefined || link.isExpired || link.orgId !== orgId ? undefined : link.mediaId;
  });
  const found = await listMedia(
    db,
    orgId,
    ids.filter((id) => id !== undefined),
  );
  return ids.map((id) => found.find((media) => media.id === id));
}

/** Stores and keeps an uploaded file. */
export async function storeUpload(
  db: Db,
  storage: Storage,
  orgId: string,
  { fileName, bytes }: { fileName: string; bytes: Spool },
): Promise<Media> {
  const media = await storeUnclaimedUpload(db, storage, orgId, { fileName, bytes });
  await inTransaction(db, (trx) => keepMedia(trx, orgId, [media]));
  return media;
}

/** Opens the file's bytes, or those of the range. */
export async function openMedia(storage: Storage, media: Media, range?: ByteRange) {
  const bytes = await storage.get(media.key, range);
  if (bytes === undefined) throw notFound('file');
  return bytes;
}

/**
 * Deletes the bytes of stored files that have no rows, such as those of a refused message. A file whose row is being
 * committed keeps its bytes. purgeDeletedMedia deletes what cannot be deleted now.
 */
export async function discardMedia(db: Db, storage: Storage, files: Media[]): Promise<void> {
  await purge(db, storage, await insertDeletedMedia(db, files));
}

/**
 * Deletes the bytes of deleted files, then their rows. A file whose bytes cannot be deleted blocks no others: it throws
 * the last such error at the end, and the next call tries it again. Not for use in a transaction: a rollback does not
 * restore bytes.
 */
export async function purgeDeletedMedia(db: Db, storage: Storage): Promise<void> {
  const errors: unknown[] = [];
  for (let after = ''; ; ) {
    const keys = (await listDeletedMedia(db, after, DELETES_PER_BATCH)).map(({ key }) => key);
    await purge(db, storage, keys).catch((error: unknown) => errors.push(error));
    after = keys.at(-1) ?? '';
    if (keys.length < DELETES_PER_BATCH) break;
  }
  if (errors.length > 0) throw errors.at(-1);
}

/** Deletes the bytes of deleted files, and the rows of those whose bytes are gone. Throws the last error of the storage. */
async function purge(db: Db, storage: Storage, keys: string[]): Promise<void> {
  const results = await Promise.allSettled(keys.map((key) => storage.delete(key)));
  await deleteMediaRows(
    db,
    keys.filter((_, index) => results[index]?.status === 'fulfilled'),
  );
  const failed = results.findLast((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
