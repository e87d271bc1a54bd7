import type { Db, Trx } from '../../db/connect.ts';
import type { MediaLinks } from '../../media/links.ts';
import { deleteUnclaimedMedia, keepMedia, type Media, storeUnclaimedMedia } from '../../media/service.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { Json } from '../blocks/schema.ts';

/** The files of a form. */
export interface FormFiles {
  /** Stores a file as media, and returns how the body shows it. */
  store(file: File): Promise<Json>;
  /** Keeps the files, in the transaction that starts a run. */
  keep(trx: Trx): Promise<void>;
}

/**
 * Receives a form whose files are kept if `receive` keeps them, and else deleted. Of a process that ends meanwhile, the purge
 * of media deletes them.
 */
export async function withFormFiles<Result>(
  db: Db,
  { storage, mediaLinks }: { storage: Storage; mediaLinks: MediaLinks },
  orgId: string,
  receive: (files: FormFiles) => Promise<Result>,
): Promise<Result> {
  const stored: Media[] = [];
  const store = async (file: File): Promise<Json> => {
    const content = [new Uint8Array(await file.arrayBuffer())];
    const media = await storeUnclaimedMedia(db, storage, orgId, { content, fileName: file.name });
    stored.push(media);
    const { id, file_name, mime_type, size } = media;
    return { id, file_name, mime_type, size, url: mediaLinks.linkOf(media) };
  };
  let isKept = false;
  const keep = async (trx: Trx) => {
    await keepMedia(trx, orgId, stored);
    isKept = true;
  };
  try {
    return await receive({ store, keep });
  } catch (error) {
    isKept = false; // the transaction that kept them was undone
    throw error;
  } finally {
    if (!isKept && stored.length > 0) await deleteUnclaimedMedia(db, storage, stored).catch(() => undefined);
  }
}
