import type { Pace as ContactPace } from '../contacts/imports/service.ts';
import { openRest } from '../contacts/imports/stored-file.ts';
import type { Db, Trx } from '../db/connect.ts';
import { isUnstorable } from '../db/failures.ts';
import { inSavepoint, inTransaction } from '../db/transaction.ts';
import { DomainError } from '../errors.ts';
import type { Extractor } from '../extraction/service.ts';
import { readSettings } from '../orgs/service.ts';
import { setCountry } from '../processes/current-work.ts';
import type { Storage } from '../providers/storage/port.ts';
import type { ImportProgress, ImportRef } from './contract.ts';
import { leftOut, type Outcome } from './findings.rules.ts';
import { endImport, findImport, lockRunning, recordBatch, type StoredImport } from './queries.ts';
import { type FilePart, partsOf } from './reading/file-records.ts';
import type { SourceRecord } from './records.rules.ts';
import { importContacts } from './saving/contacts.service.ts';
import { importConversations } from './saving/conversations.service.ts';
import { type ConvertedArticle, convertArticle, importHelpCenter } from './saving/help-center.service.ts';
import { lockOrigin, type Origin } from './saving/shared.queries.ts';

const RECORDS_PER_BATCH = { contacts: 1_000, conversations: 200 };
const MESSAGES_PER_BATCH = 2_000;
/** Large records are saved in smaller batches. */
const BYTES_PER_BATCH = 4_000_000;
/** All articles are saved together, as those of a tree belong together. */
const MAX_HELP_CENTER_RECORDS = 20_000;
const MAX_HELP_CENTER_BYTES = 16 * 1024 ** 2;
/** Less than an activity may take. */
const MAX_HELP_CENTER_MS = 8 * 60_000;

export interface ImportDeps {
  db: Db;
  storage: Storage;
  extractor: Pick<Extractor, 'extract'>;
  publicUrl: string;
}

/** The limits of a run. */
export interface Pace extends ContactPace {
  /** Whether an open transaction has to be given up. */
  isStopped(): boolean;
}

/** A later run of the import has taken over, or the import has ended. */
class Superseded extends Error {}

/**
 * Imports records of a file while it may continue. A batch is saved and recorded as done in one transaction: each record once,
 * however often the import is interrupted.
 */
export async function continueImport(deps: ImportDeps, ref: ImportRef, pace: Pace): Promise<ImportProgress> {
  const job = await findImport(deps.db, ref);
  if (job?.state === 'running') {
    setCountry((await readSettings(deps.db, ref.orgId)).country);
    try {
      if (await importFile(deps, job, pace)) await endImport(deps.db, ref, { state: 'completed' });
    } catch (error) {
      if (error instanceof DomainError)
        await endImport(deps.db, ref, { state: 'failed', reason: error.message.slice(0, 1_000) });
      else if (!(error instanceof Superseded)) throw error;
    }
  }
  const { state, records = 0, left_out: leftOut = 0, storage_key } = (await findImport(deps.db, ref)) ?? {};
  if (state !== 'running' && storage_key !== undefined) await deps.storage.delete(storage_key);
  return { isEnded: state !== 'running', records, leftOut };
}

/** Imports the rest of a file. Returns whether it is done. */
async function importFile(deps: ImportDeps, job: StoredImport, pace: Pace): Promise<boolean> {
  const [start, size] = [Number(job.position), Number(job.size)];
  if (start >= size) return true;
  const content = await openRest(deps.storage, job, pace.attempt);
  const parts = partsOf(content, job, { bytes: start, lines: job.lines });
  if (job.resource === 'help_center') return importArticles(deps, job, { parts, pace });
  return importBatches(deps, job, { parts, pace, limit: RECORDS_PER_BATCH[job.resource] });
}

interface Reading {
  parts: AsyncIterable<FilePart>;
  pace: Pace;
}

/** Imports batches of records, saving one while the next is read. */
async function importBatches(
  { db }: ImportDeps,
  job: StoredImport,
  { parts, pace, limit }: Reading & { limit: number },
): Promise<boolean> {
  const importRecords = job.resource === 'contacts' ? importContacts : importConversations;
  let saving: Promise<void> = Promise.resolve();
  let from = Number(job.position);
  for await (const batch of batchesOf(parts, from, limit)) {
    await saving;
    if (!pace.mayContinue()) return false;
    const saveEach = (trx: Trx, records: SourceRecord[]) => importRecords(trx, originOf(job), records);
    saving = saveBatch(db, job, { batch, from, save: (trx) => saveStorable(trx, batch.records, saveEach) });
    saving.catch(() => undefined); // it is awaited above or below
    from = batch.end;
  }
  await saving;
  return true;
}

const originOf = ({ org_id, source, account }: StoredImport): Origin => ({
  orgId: org_id,
  source: account === '' ? source : `${source}/${account}`,
});

const sizeOf = (record: SourceRecord): number =>
  record.kind === 'conversation' ? record.conversation.messages.length : 0;

async function* batchesOf(parts: AsyncIterable<FilePart>, start: number, limit: number): AsyncGenerator<FilePart> {
  let records: SourceRecord[] = [];
  let [from, messages] = [start, 0];
  let last: FilePart | undefined;
  for await (const part of parts) {
    for (const record of part.records) {
      records.push(record);
      messages += sizeOf(record);
    }
    last = part;
    if (records.length < limit && messages < MESSAGES_PER_BATCH && part.end - from < BYTES_PER_BATCH) continue;
    yield { ...part, records };
    records = [];
    [from, messages, last] = [part.end, 0, undefined];
  }
  if (last !== undefined) yield { ...last, records };
}

interface Batch {
  batch: FilePart;
  /** The bytes of the file before it. */
  from: number;
  save: (trx: Trx) => Promise<Outcome[]>;
}

const saveBatch = (db: Db, job: StoredImport, { batch, from, save }: Batch): Promise<void> =>
  inTransaction(db, async (trx) => {
    const ref = { orgId: job.org_id, importId: job.id };
    const locked = await lockRunning(trx, ref);
    if (locked === undefined || locked.position !== from)
      throw new Superseded('The import has ended, or is continued elsewhere');
    await lockOrigin(trx, originOf(job));
    const outcomes = await save(trx);
    const end = { bytes: Math.min(batch.end, Number(job.size)), lines: batch.lines };
    await recordBatch(trx, ref, { before: locked.records, outcomes, end });
  });

/** Saves records. If the database cannot store one of them, each is saved by itself, and that one is left out. */
async function saveStorable(
  trx: Trx,
  records: SourceRecord[],
  save: (trx: Trx, records: SourceRecord[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  try {
    return await inSavepoint(trx, () => save(trx, records));
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    if (records.length === 1) return [leftOut(null, 'not_readable', 'The database cannot store the record')];
  }
  const outcomes: Outcome[] = [];
  for (const record of records) outcomes.push(...(await saveStorable(trx, [record], save)));
  return outcomes;
}

/** Imports all articles of a file in one transaction. */
async function importArticles(deps: ImportDeps, job: StoredImport, { parts, pace }: Reading): Promise<boolean> {
  const records: SourceRecord[] = [];
  const articles = new Map<string, ConvertedArticle>();
  const endAt = performance.now() + MAX_HELP_CENTER_MS;
  let bytes = 0;
  for await (const part of parts)
    for (const record of part.records) {
      records.push(record);
      if (pace.isStopped()) return false;
      if (records.length > MAX_HELP_CENTER_RECORDS || bytes > MAX_HELP_CENTER_BYTES || performance.now() > endAt)
        throw new DomainError(
          'too_large',
          'The help center is larger than 20,000 records or 16 MB: import fewer articles',
        );
      if (record.kind !== 'article' || articles.has(record.article.externalId)) continue;
      const converted = await convertArticle(deps.extractor, record.article);
      articles.set(record.article.externalId, converted);
      bytes += 'markdown' in converted ? converted.markdown.length : 0;
    }
  const size = Number(job.size);
  const origin = { ...originOf(job), publicUrl: deps.publicUrl };
  const batch = { end: size, lines: 0, records };
  const save = (trx: Trx) => importHelpCenter(trx, origin, { records, articles });
  await saveBatch(deps.db, job, { batch, from: Number(job.position), save });
  return true;
}
