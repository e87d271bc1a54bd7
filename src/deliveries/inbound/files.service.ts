import { forEachConcurrently } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, type ErrorKind, ProviderError } from '../../errors.ts';
import { idOf } from '../../ids.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { type Media, storeContent } from '../../media/service.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { InboundMessageRef } from '../contract.ts';
import type { FileDownload } from './file-download.ts';
import { MAX_FILES, type MissingFile, namedInText } from './files.rules.ts';
import { recordWaitingChanges } from './message-changes.service.ts';
import { clearFiles, findMessageWithFiles } from './messages.queries.ts';
import { addToSession } from './messages.service.ts';

export interface InboundFileDeps {
  db: Db;
  storage: Storage;
  download: FileDownload;
}

/** What became of the files of a message. */
export interface ReceivedFiles {
  media: Media[];
  missing: MissingFile[];
}

const REASONS: Partial<Record<ErrorKind, string>> = {
  too_large: `larger than ${MAX_FILE_BYTES / 1024 ** 2} MB`,
  unsupported: 'its type is not accepted',
  invalid: 'it is empty',
  unavailable: 'there is no storage for files',
};

const MIN_ATTEMPTS = 5;
/** A provider may take a minute for each file: ten of them are fetched within an attempt. */
const FILES_AT_ONCE = 4;

interface GivenFile {
  what: string;
  name: string;
  load(): Promise<Uint8Array>;
}

/**
 * Puts files of a message into storage, under ids derived from the message's: a repeated call stores them once. What
 * cannot be stored is named with the reason. Throws for what a retry may mend while the message is recent, and in the first
 * attempts in any case: it may have waited for the worker.
 */
export async function storeFiles(
  storage: Storage,
  orgId: string,
  {
    messageId,
    files,
    isRecent,
    attempt,
  }: { messageId: string; files: GivenFile[]; isRecent: boolean; attempt: number },
): Promise<ReceivedFiles> {
  const outcomes: { media?: Media; missing?: MissingFile }[] = [];
  await forEachConcurrently(
    files.slice(0, MAX_FILES).entries(),
    FILES_AT_ONCE,
    async ([index, { what, name, load }]) => {
      const id = idOf(orgId, 'inbound file', messageId, String(index));
      try {
        outcomes[index] = {
          media: await storeContent(storage, orgId, { id, content: [await load()], fileName: name }),
        };
      } catch (error) {
        if ((isRecent || attempt < MIN_ATTEMPTS) && !isFinal(error)) throw error;
        outcomes[index] = { missing: { what, reason: reasonMissing(error) } };
      }
    },
  );
  const remaining = files.length - MAX_FILES;
  if (remaining > 0)
    outcomes.push({ missing: { what: `${remaining} more files`, reason: `a message has at most ${MAX_FILES}` } });
  return {
    media: outcomes.flatMap(({ media }) => media ?? []),
    missing: outcomes.flatMap(({ missing }) => missing ?? []),
  };
}

/**
 * Fetches the files of a message from its provider, and adds it to its session. A repeated run changes nothing. `attempt`:
 * the number of this one, from 1.
 */
export async function receiveInboundFiles(
  deps: InboundFileDeps,
  { orgId, inboundMessageId: id, attempt }: InboundMessageRef & { attempt: number },
): Promise<void> {
  const message = await findMessageWithFiles(deps.db, orgId, id);
  if (message === undefined) return;
  const { files, is_recent: isRecent, channel } = message;
  const received = await storeFiles(deps.storage, orgId, {
    messageId: id,
    isRecent,
    attempt,
    files: files.map((file) => ({
      what: namedInText(file),
      name: file.name ?? file.kind,
      load: () => deps.download(orgId, channel, file),
    })),
  });
  await inTransaction(deps.db, async (trx) => {
    const cleared = await clearFiles(trx, orgId, id);
    if (cleared === undefined) return;
    const { sender_name, editedAt, deletedAt, ...message } = cleared;
    await addToSession(trx, orgId, { ...message, name: sender_name ?? undefined, id, ...received });
    await recordWaitingChanges(trx, orgId, { id, editedAt, deletedAt });
  });
}

/** Whether no retry can get the file. */
const isFinal = (error: unknown): boolean =>
  error instanceof DomainError || (error instanceof ProviderError && !error.transient);

/** Returns why a file is missing, in words for people. */
const reasonMissing = (error: unknown): string =>
  (error instanceof DomainError ? REASONS[error.kind] : undefined) ?? 'it could not be fetched';
