import { elementAt } from '../../collections/checked-access.ts';
import { forEachConcurrently } from '../../concurrency/limited.ts';
import type { Db } from '../../db/connect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { DomainError, type ErrorKind, ProviderError } from '../../errors.ts';
import { idOf } from '../../ids.ts';
import { MAX_FILE_BYTES } from '../../media/file-types.rules.ts';
import { discardMedia, type Media, storeBytes, storeContent } from '../../media/service.ts';
import type { Spool } from '../../media/spool.ts';
import type { Storage } from '../../providers/storage/port.ts';
import type { FilesProgress, InboundMessageRef } from '../contract.ts';
import type { FileDownload } from './file-download.ts';
import { MAX_FILES, type MissingFile, namedInText } from './files.rules.ts';
import { findLateFiles, findNextTryMs, replaceLateFiles } from './late-files.queries.ts';
import { recordWaitingChanges } from './message-changes.service.ts';
import { clearFiles, findMessageWithFiles } from './messages.queries.ts';
import { addToSession } from './messages.service.ts';
import type { InboundFile, LateFile } from './messages.table.ts';

export interface InboundFileDeps {
  db: Db;
  storage: Storage;
  download: FileDownload;
}

/** The outcome for the files of a message. */
export interface ReceivedFiles {
  media: Media[];
  missing: MissingFile[];
  /** The positions of the missing ones that a later attempt may get. */
  late: number[];
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

/** Says of a file that it is tried further. It stays true, however that ends. */
const TRIED_LATER = 'it could not be fetched in time, and follows by itself if it can be within a day';

interface GivenFile {
  what: string;
  name: string;
  /** Returns its bytes, or the temporary file that has them. */
  load(): Promise<Uint8Array | Spool>;
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
    isTriedLater = false,
  }: { messageId: string; files: GivenFile[]; isRecent: boolean; attempt: number; isTriedLater?: boolean },
): Promise<ReceivedFiles> {
  const outcomes: { media?: Media; missing?: MissingFile; late?: number }[] = [];
  await forEachConcurrently(
    files.slice(0, MAX_FILES).entries(),
    FILES_AT_ONCE,
    async ([index, { what, name, load }]) => {
      const id = idOf(orgId, 'inbound file', messageId, String(index));
      try {
        outcomes[index] = {
          media: await storeFile(storage, orgId, { id, fileName: name, bytes: await load() }),
        };
      } catch (error) {
        if ((isRecent || attempt < MIN_ATTEMPTS) && !isFinal(error)) throw error;
        const isLate = isTriedLater && !isFinal(error);
        const reason = isLate ? TRIED_LATER : reasonMissing(error);
        outcomes[index] = { missing: { what, reason }, ...(isLate && { late: index }) };
      }
    },
  );
  const remaining = files.length - MAX_FILES;
  if (remaining > 0)
    outcomes.push({ missing: { what: `${remaining} more files`, reason: `a message has at most ${MAX_FILES}` } });
  return {
    media: outcomes.flatMap(({ media }) => media ?? []),
    missing: outcomes.flatMap(({ missing }) => missing ?? []),
    late: outcomes.flatMap(({ late }) => late ?? []),
  };
}

const storeFile = (
  storage: Storage,
  orgId: string,
  { id, fileName, bytes }: { id: string; fileName: string; bytes: Uint8Array | Spool },
): Promise<Media> =>
  bytes instanceof Uint8Array
    ? storeContent(storage, orgId, { id, fileName, content: [bytes] })
    : storeBytes(storage, orgId, { id, fileName, bytes });

/**
 * Fetches the files of a message from its provider, and adds it to its session. A repeated run changes nothing. `attempt`:
 * the number of this one, from 1. Files that the provider still withholds follow as a message, if they come within a day.
 */
export async function receiveInboundFiles(
  deps: InboundFileDeps,
  { attempt, ...ref }: InboundMessageRef & { attempt: number },
): Promise<FilesProgress> {
  const { orgId, inboundMessageId: id } = ref;
  const message = await findMessageWithFiles(deps.db, orgId, id);
  if (message === undefined) return receiveLateFiles(deps, ref);
  const { files, is_recent: isRecent, channel } = message;
  const { late, ...received } = await storeFiles(deps.storage, orgId, {
    messageId: id,
    isRecent,
    attempt,
    isTriedLater: true,
    files: files.map((file) => ({
      what: namedInText(file),
      name: file.name ?? file.kind,
      load: () => deps.download(orgId, channel, file),
    })),
  });
  await inTransaction(deps.db, async (trx) => {
    const cleared = await clearFiles(trx, orgId, id, lateFilesOf(files, late));
    if (cleared === undefined) return;
    const { sender_name, editedAt, deletedAt, ...message } = cleared;
    await addToSession(trx, orgId, { ...message, name: sender_name ?? undefined, id, ...received });
    await recordWaitingChanges(trx, orgId, { id, editedAt, deletedAt });
  });
  await discardMedia(deps.db, deps.storage, received.media); // of a message that another run has added, or that is redacted
  return { nextInMs: await findNextTryMs(deps.db, orgId, id) };
}

const lateFilesOf = (files: InboundFile[], late: number[]): LateFile[] =>
  late.map((position) => ({ ...elementAt(files, position), position }));

/**
 * Tries the files of a message once more that its provider withheld. Those that come are another message in the
 * session. A repeated run adds nothing twice, and nothing is added to a message that was redacted meanwhile.
 */
async function receiveLateFiles(
  { db, storage, download }: InboundFileDeps,
  { orgId, inboundMessageId: id }: InboundMessageRef,
): Promise<FilesProgress> {
  const message = await findLateFiles(db, orgId, id);
  if (message === undefined) return { nextInMs: null };
  const { late_files: files, is_over: isOver, channel } = message;
  const media: Media[] = [];
  const left: LateFile[] = [];
  for (const file of files) {
    const fileName = file.name ?? file.kind;
    const stored = { id: idOf(orgId, 'inbound file', id, String(file.position)), fileName };
    try {
      media.push(await storeContent(storage, orgId, { ...stored, content: [await download(orgId, channel, file)] }));
    } catch (error) {
      if (!isFinal(error) && !isOver) left.push(file);
    }
  }
  await inTransaction(db, async (trx) => {
    const tried = await replaceLateFiles(trx, orgId, id, { before: files, left });
    if (tried === undefined || tried.contactId === null || media.length === 0) return;
    const lateId = idOf(orgId, 'late file of a message', elementAt(media, 0).id);
    await addToSession(trx, orgId, { ...tried, id: lateId, body: '', media });
  });
  await discardMedia(db, storage, media); // of a message that was redacted meanwhile
  return { nextInMs: await findNextTryMs(db, orgId, id) };
}

/** Whether no retry can get the file. */
const isFinal = (error: unknown): boolean =>
  error instanceof DomainError || (error instanceof ProviderError && !error.transient);

/** Returns why a file is missing, in words for people. */
const reasonMissing = (error: unknown): string =>
  (error instanceof DomainError ? REASONS[error.kind] : undefined) ?? 'it could not be fetched';
