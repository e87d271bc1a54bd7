import { buffer } from 'node:stream/consumers';
import { limited } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { listFiles, openMedia } from '../../media/service.ts';
import type { SendOutcome } from '../../providers/sending.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { AttachedFile } from './attached-files.rules.ts';

/** A message has up to 17 MB of files, which are in memory while it is sent. */
const MESSAGES_WITH_FILES_AT_ONCE = 3;

export interface LoadedFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

/**
 * Sends with stored files in memory, for a few messages of this process at once. Messages without files do not wait. Files
 * that are deleted end the send.
 */
export type SendWithFiles = (
  orgId: string,
  files: AttachedFile[],
  send: (files: LoadedFile[]) => Promise<SendOutcome>,
) => Promise<SendOutcome>;

export function createFileLoader(db: Db, storage: Storage): SendWithFiles {
  const limit = limited(MESSAGES_WITH_FILES_AT_ONCE);

  const load = async (orgId: string, files: AttachedFile[]): Promise<LoadedFile[] | undefined> => {
    const ids = files.map((file) => file.media_id);
    const stored = await listFiles(db, orgId, ids);
    const loaded: LoadedFile[] = [];
    for (const id of ids) {
      const media = stored.find((file) => file.id === id);
      if (media === undefined) return undefined;
      const bytes = await buffer(await openMedia(storage, media));
      loaded.push({ name: media.file_name, mimeType: media.mime_type, bytes });
    }
    return loaded;
  };

  return (orgId, files, send) => {
    if (files.length === 0) return send([]);
    return limit(async () => {
      const loaded = await load(orgId, files);
      return loaded === undefined
        ? { kind: 'rejected', because: 'permanent', reason: 'a file of the message is deleted' }
        : send(loaded);
    });
  };
}
