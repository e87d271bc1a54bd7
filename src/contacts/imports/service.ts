import type { Db, Trx } from '../../db/connect.ts';
import { pageOf } from '../../db/cursor.ts';
import { inTransaction } from '../../db/transaction.ts';
import { invalid, notFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { deleteUnclaimedMedia, keepObject, storeUnclaimedObject } from '../../media/service.ts';
import type { Spool } from '../../media/spool.ts';
import { enqueue, signalWithStart } from '../../outbox/outbox.ts';
import { currentActor, setCountry } from '../../processes/current-work.ts';
import type { Storage } from '../../providers/storage/port.ts';
import { SYSTEM } from '../../schemas/actor.ts';
import { WAKE } from '../../temporal/contract.ts';
import { findCountry } from '../filters/shared.queries.ts';
import { describeFields } from '../saving/batch.service.ts';
import type { ContactSave } from '../saving/drafts.ts';
import { saveContacts } from '../saving/service.ts';
import { ContactFields } from '../schema.ts';
import { assertColumns, delimiterOf, fieldsOf } from './columns.ts';
import { type ContactImportProgress, type ContactImportRef, IMPORT_CONTACTS } from './contract.ts';
import { type CsvLine, linesOf } from './lines.ts';
import {
  endImport,
  findImport,
  insertImport,
  listImports,
  lockPosition,
  type NewImport,
  type Refusal,
  readRefusals,
  recordLines,
  type StoredImport,
} from './queries.ts';
import type { ImportOptions, ListContactImports } from './schema.ts';
import { FileLost, openRest } from './stored-file.ts';

export { deleteOldImports, listRunningImports } from './queries.ts';

const LINES_PER_BATCH = 3_000;
/** Large lines are saved in smaller batches. */
const BYTES_PER_BATCH = 1_500_000;
const FIRST_LINE = /^[^\r\n]*/;

interface Deps {
  db: Db;
  storage: Storage;
}

/** Returns the command to import what is left of a file. */
export const runImport = (ref: ContactImportRef) =>
  signalWithStart(IMPORT_CONTACTS, ref, WAKE, { subjectId: ref.importId, summary: 'Import contacts' });

/** Stores a file that nobody has yet, if its first line is right. Throws invalid otherwise. */
export async function storeImport(
  db: Db,
  storage: Storage,
  orgId: string,
  { file, options }: { file: Spool; options: ImportOptions },
): Promise<NewImport> {
  const id = newId();
  const header = await headerOf(file);
  assertColumns(header.columns, options.key);
  const storage_key = `contact-imports/${orgId}/${id}`;
  await storeUnclaimedObject(db, storage, { org_id: orgId, id, key: storage_key }, file);
  const { key = null, update: does_update, file_name = null } = options;
  return { id, key, does_update, file_name, storage_key, size: file.size, ...header };
}

/** Deletes the file of an import that was not recorded. */
export const discardImport = (
  db: Db,
  storage: Storage,
  orgId: string,
  { storage_key: key }: NewImport,
): Promise<void> => deleteUnclaimedMedia(db, storage, [{ org_id: orgId, key }]);

async function headerOf(file: Spool): Promise<Pick<NewImport, 'columns' | 'delimiter' | 'position' | 'lines'>> {
  const [chunk = Buffer.alloc(0)] = await file.open().take(1).toArray();
  const delimiter = delimiterOf(FIRST_LINE.exec(chunk.toString('utf8'))?.[0] ?? '');
  for await (const { cells, end, line, problem } of linesOf(file.open(), {
    delimiter,
    after: { bytes: 0, lines: 0 },
  })) {
    if (problem !== undefined) throw invalid(`The first line is not valid: ${problem}`);
    return { columns: cells, delimiter, position: end, lines: line };
  }
  throw invalid('The file is empty: its first line must have the names of the columns');
}

/** Records an import, which a workflow continues. */
export function startImport(db: Db, orgId: string, added: NewImport): Promise<{ id: string }> {
  return inTransaction(db, async (trx) => {
    await keepObject(trx, orgId, added.id);
    await insertImport(trx, orgId, added, currentActor() ?? SYSTEM);
    await enqueue(trx, orgId, runImport({ orgId, importId: added.id }));
    return { id: added.id };
  });
}

/** Returns an import with its progress. Throws notFound. */
export async function getImport(db: Db, publicUrl: string, ref: ContactImportRef) {
  return describe(publicUrl, await requireImport(db, ref));
}

/** Returns a page of the imports of an org. */
export async function pageOfImports(db: Db, publicUrl: string, orgId: string, query: ListContactImports) {
  const { items, next } = await pageOf(db, query, (page) => listImports(db, orgId, page));
  return { items: items.map((job) => describe(publicUrl, job)), next };
}

function describe(publicUrl: string, { state, position, size, ...job }: StoredImport) {
  return {
    ...job,
    status: state,
    progress: state === 'completed' ? 1 : Number(position) / Number(size),
    rows: job.created + job.updated + job.skipped + job.refused,
    refused_url: job.refused === 0 ? null : `${publicUrl}/contacts/imports/${job.id}/refused`,
  };
}

async function requireImport(db: Db, ref: ContactImportRef): Promise<StoredImport> {
  const job = await findImport(db, ref);
  if (job === undefined) throw notFound('import');
  return job;
}

/** Returns the refused lines below a line of names: where each was, why it was refused, and its cells. Throws notFound. */
export async function refusedLines(db: Db, ref: ContactImportRef): Promise<AsyncIterable<string[]>> {
  const { columns } = await requireImport(db, ref);
  const names = columns.filter((name) => name !== 'line' && name !== 'reason');
  const kept = columns.flatMap((name, nth) => (names.includes(name) ? [nth] : []));
  return (async function* () {
    yield ['line', 'reason', ...names];
    for await (const { line, reason, record } of readRefusals(db, ref))
      yield [String(line), reason, ...kept.map((nth) => record[nth] ?? '')];
  })();
}

/** The limits of a run. */
export interface Pace {
  /** Whether another batch may begin. */
  mayContinue(): boolean;
  /** Counts the failed runs, and this one, from 1. */
  attempt: number;
}

/**
 * Imports lines of a file while it may continue. A batch of lines is saved and recorded as done in one transaction: each
 * line once, however often the import is interrupted.
 */
export async function continueImport(deps: Deps, ref: ContactImportRef, pace: Pace): Promise<ContactImportProgress> {
  const job = await findImport(deps.db, ref);
  if (job?.state === 'running') {
    setCountry((await findCountry(deps.db, ref.orgId)) ?? null);
    try {
      if (await importLines(deps, ref, { job, pace })) {
        await deps.storage.delete(job.storage_key);
        await endImport(deps.db, ref, { state: 'completed' });
      }
    } catch (error) {
      if (!(error instanceof FileLost)) throw error;
      await endImport(deps.db, ref, { state: 'failed', reason: error.message });
    }
  }
  const { state, lines = 0, refused = 0 } = (await findImport(deps.db, ref)) ?? {};
  return { isEnded: state !== 'running', lines, refused };
}

interface Run {
  job: StoredImport;
  pace: Pace;
}

/** Imports lines, saving a batch while the next is read. Returns whether the file is done. */
async function importLines({ db, storage }: Deps, ref: ContactImportRef, { job, pace }: Run): Promise<boolean> {
  const [start, size] = [Number(job.position), Number(job.size)];
  if (start >= size) return true;
  const content = await openRest(storage, job, pace.attempt);
  const lines = linesOf(content, { delimiter: job.delimiter, after: { bytes: start, lines: job.lines } });
  let saving: Promise<void> = Promise.resolve();
  let from = start;
  for await (const batch of batchesOf(lines, start)) {
    const read = batch.map((line) => readLine(job, line));
    await saving;
    if (!pace.mayContinue()) return false;
    saving = saveLines(db, ref, { job, from, read });
    saving.catch(() => undefined); // it is awaited above or below
    from = batch.at(-1)?.end ?? from;
  }
  await saving;
  return true;
}

async function* batchesOf(lines: AsyncIterable<CsvLine>, start: number): AsyncGenerator<CsvLine[]> {
  let batch: CsvLine[] = [];
  let from = start;
  for await (const line of lines) {
    batch.push(line);
    if (batch.length < LINES_PER_BATCH && line.end - from < BYTES_PER_BATCH) continue;
    yield batch;
    batch = [];
    from = line.end;
  }
  if (batch.length > 0) yield batch;
}

/** A line of a file: the contact in it, or why it has none. */
type ReadLine = CsvLine & ({ save: ContactSave } | { reason: string });

function readLine({ columns, key, does_update }: StoredImport, line: CsvLine): ReadLine {
  const refused = (reason: string) => ({ ...line, reason });
  if (line.problem !== undefined) return refused(line.problem);
  if (line.cells.length !== columns.length)
    return refused(`the line has ${line.cells.length} cells, the first line of the file has ${columns.length}`);
  const { data, error } = ContactFields.safeParse(fieldsOf(columns, line.cells));
  if (data === undefined) return refused(describeFields(error));
  const { phone_number, phone = phone_number, ...fields } = data;
  const change = { ...fields, phone, http_action_overrides: undefined };
  const isIdentified = key === null ? [fields.external_id, fields.email, phone].some(Boolean) : change[key];
  if (!isIdentified) return refused(`the line has no ${key ?? 'external_id, email or phone'}`);
  return { ...line, save: { change, by: key ?? undefined, isOnlyNew: !does_update } };
}

interface Batch {
  job: StoredImport;
  /** The bytes of the file before it. */
  from: number;
  read: ReadLine[];
}

const saveLines = (db: Db, ref: ContactImportRef, { job, from, read }: Batch): Promise<void> =>
  inTransaction(db, async (trx) => {
    if ((await lockPosition(trx, ref)) !== from) throw new Error('The import is continued elsewhere');
    const last = read.at(-1);
    if (last === undefined) return;
    const outcome = await saveRead(trx, ref.orgId, { job, read });
    await recordLines(trx, ref, { ...outcome, end: { bytes: Math.min(last.end, Number(job.size)), lines: last.line } });
  });

async function saveRead(trx: Trx, orgId: string, { job, read }: Pick<Batch, 'job' | 'read'>) {
  const counts = { created: 0, updated: 0, skipped: 0 };
  const saved = await saveContacts(
    trx,
    orgId,
    read.flatMap((one) => ('save' in one ? [one.save] : [])),
  );
  const results = saved.values();
  const refusals = read.flatMap((one): Refusal[] => {
    const result = 'save' in one ? results.next().value : undefined;
    const reason =
      'reason' in one ? one.reason : result !== undefined && 'error' in result ? result.error.message : undefined;
    if (reason !== undefined) return [{ line: one.line, reason, record: one.cells }];
    if (result !== undefined && 'created' in result)
      counts[result.created ? 'created' : job.does_update ? 'updated' : 'skipped'] += 1;
    return [];
  });
  return { counts, refusals };
}
