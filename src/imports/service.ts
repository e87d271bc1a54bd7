import { delimiterOf } from '../contacts/imports/columns.ts';
import { linesOf } from '../contacts/imports/lines.ts';
import type { Db } from '../db/connect.ts';
import { pageOf } from '../db/cursor.ts';
import { inTransaction } from '../db/transaction.ts';
import { conflict, invalid, missingScope, notFound, TooManyRequests, unavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import type { OrgPrincipal } from '../keys/verifier.ts';
import { deleteUnclaimedMedia, keepObject, storeUnclaimedObject } from '../media/service.ts';
import type { Spool } from '../media/spool.ts';
import { enqueue, signalWithStart } from '../outbox/outbox.ts';
import { currentActor } from '../processes/current-work.ts';
import type { Storage } from '../providers/storage/port.ts';
import { SYSTEM } from '../schemas/actor.ts';
import { hasScope, type KeyScope } from '../schemas/scopes.ts';
import { WAKE } from '../temporal/contract.ts';
import { IMPORT_RECORDS, type ImportRef } from './contract.ts';
import {
  endImport,
  findImport,
  insertImport,
  listImports,
  lockAndCountRunning,
  type NewImport,
  readFindings,
  type StoredImport,
} from './queries.ts';
import { recordsOfValue } from './reading/file-records.ts';
import { jsonValuesIn } from './reading/json-values.ts';
import { type ImportQuery, ImportResource, type ListImports } from './schema.ts';
import type { LineReader, ObjectReader } from './sources/source.ts';
import { readersOf } from './sources/sources.ts';

export { deleteOldImports, listRunningImports } from './queries.ts';

const MAX_RUNNING = 3;
const RETRY_SECONDS = 30;
/** The first character of a file, behind a byte order mark and white space. JSON and CSV begin with different ones. */
const FIRST_CHARACTER = /^\ufeff?\s*(\S)/;
const FIRST_LINE = /^[^\r\n]*/;
/** A caller needs all of them. */
const SCOPES: Record<ImportResource, KeyScope[]> = {
  contacts: ['contacts:write'],
  conversations: ['contacts:write', 'chat-sessions:write', 'tags:write'],
  help_center: ['help-center:write'],
};

/** Returns the command to import what is left of a file. */
export const runImport = (ref: ImportRef) =>
  signalWithStart(IMPORT_RECORDS, ref, WAKE, { subjectId: ref.importId, summary: 'Import records of another desk' });

type Caller = Pick<OrgPrincipal, 'id' | 'scopes'>;

function assertMayImport(caller: Caller, resource: ImportResource): void {
  const missing = SCOPES[resource].find((scope) => !hasScope(caller, scope));
  if (missing !== undefined) throw missingScope(missing);
}

/** Throws what a request is refused for before its file is received. */
export function assertAccepted(caller: Caller, { source, resource }: ImportQuery, hasStorage: boolean): void {
  assertMayImport(caller, resource);
  readersOf(source, resource);
  if (!hasStorage) throw unavailable('Files are not kept here: the operator has not set STORAGE_URL');
}

/** Stores a file that nobody has yet, if its beginning is what its source writes. Throws invalid otherwise. */
export async function storeImport(
  db: Db,
  storage: Storage,
  orgId: string,
  { file, query }: { file: Spool; query: ImportQuery },
): Promise<NewImport> {
  const id = newId();
  const format = await formatOf(file, query);
  const storage_key = `imports/${orgId}/${id}`;
  await storeUnclaimedObject(db, storage, { org_id: orgId, id, key: storage_key }, file);
  return { id, ...query, file_name: query.file_name ?? null, storage_key, size: file.size, ...format };
}

/** Deletes the file of an import that was not recorded. */
export const discardImport = (
  db: Db,
  storage: Storage,
  orgId: string,
  { storage_key: key }: NewImport,
): Promise<void> => deleteUnclaimedMedia(db, storage, [{ org_id: orgId, key }]);

type Format = Pick<NewImport, 'columns' | 'delimiter' | 'position' | 'lines'>;

async function formatOf(file: Spool, { source, resource }: ImportQuery): Promise<Format> {
  const [chunk = Buffer.alloc(0)] = await file.open().take(1).toArray();
  const start = chunk.toString('utf8');
  const first = FIRST_CHARACTER.exec(start)?.[1];
  if (first === undefined) throw invalid('The file is empty', [{ path: 'body', message: 'must not be empty' }]);
  const { objects, lines } = readersOf(source, resource);
  const isJson = first === '{' || first === '[';
  if (isJson && objects !== undefined) return assertObjects(file, objects, `${resource} of ${source}`);
  if (!isJson && lines !== undefined) return headerOf(file, lines, delimiterOf(FIRST_LINE.exec(start)?.[0] ?? ''));
  const wanted = objects === undefined ? 'CSV' : lines === undefined ? 'JSON' : 'JSON or CSV';
  throw invalid(`The file is not valid: ${source} writes ${resource} as ${wanted}`, [
    { path: 'body', message: `must be ${wanted}` },
  ]);
}

/** Throws invalid if the first object of a file is none of the source's records. */
async function assertObjects(file: Spool, reader: ObjectReader, what: string): Promise<Format> {
  for await (const value of jsonValuesIn(file.open(), 0)) {
    const records = recordsOfValue(reader, value);
    const problems = records.flatMap((record) => (record.kind === 'left_out' ? record.findings : []));
    const unreadable = problems.find(({ code }) => code === 'not_readable');
    if (unreadable !== undefined && records.every(({ kind }) => kind === 'left_out'))
      throw invalid(`The first object of the file is none of the ${what}: ${unreadable.reason}`, [
        { path: 'body', message: unreadable.reason },
      ]);
    return { columns: null, delimiter: null, position: 0, lines: 0 };
  }
  throw invalid('The file has no object of JSON', [{ path: 'body', message: 'must have an object' }]);
}

async function headerOf(file: Spool, reader: LineReader, delimiter: string): Promise<Format> {
  const start = { bytes: 0, lines: 0 };
  for await (const { cells, end, line, problem } of linesOf(file.open(), { delimiter, after: start })) {
    if (problem !== undefined) throw invalid(`The first line is not valid: ${problem}`);
    reader.assertColumns(cells);
    return { columns: cells, delimiter, position: end, lines: line };
  }
  throw invalid('The file is empty: its first line must have the names of the columns');
}

/**
 * Records an import, which has its file from now on, and which a workflow continues. Throws TooManyRequests while the org
 * has several, and conflict for a file that was not recorded within an hour.
 */
export function startImport(db: Db, orgId: string, added: NewImport): Promise<{ id: string }> {
  return inTransaction(db, async (trx) => {
    if ((await lockAndCountRunning(trx, orgId)) >= MAX_RUNNING)
      throw new TooManyRequests(`${MAX_RUNNING} imports are running: wait until one has ended`, RETRY_SECONDS, {
        code: 'too_many_at_once',
        limit: 'imports',
      });
    await keepObject(trx, orgId, added.id);
    await insertImport(trx, orgId, added, currentActor() ?? SYSTEM);
    await enqueue(trx, orgId, runImport({ orgId, importId: added.id }));
    return { id: added.id };
  });
}

async function requireImport(db: Db, caller: Caller, id: string): Promise<StoredImport> {
  const job = await findImport(db, { orgId: caller.id, importId: id });
  if (job === undefined) throw notFound('import');
  assertMayImport(caller, job.resource);
  return job;
}

/** Returns an import with its progress. Throws notFound, and missingScope. */
export async function getImport(db: Db, publicUrl: string, caller: Caller, id: string) {
  return describe(publicUrl, await requireImport(db, caller, id));
}

/** Returns a page of the imports of what the caller may import. */
export async function pageOfImports(db: Db, publicUrl: string, caller: Caller, query: ListImports) {
  const resources = ImportResource.options.filter((name) => SCOPES[name].every((scope) => hasScope(caller, scope)));
  const { items, next } = await pageOf(db, query, (page) => listImports(db, caller.id, resources, page));
  return { items: items.map((job) => describe(publicUrl, job)), next };
}

function describe(publicUrl: string, { state, position, size, ...job }: StoredImport) {
  const hasFindings = job.left_out + job.incomplete > 0;
  return {
    ...job,
    status: state,
    progress: state === 'completed' ? 1 : Math.min(1, Number(position) / Number(size)),
    report_url: hasFindings ? `${publicUrl}/imports/${job.id}/report` : null,
  };
}

/** Ends a running import. What it has imported stays. Repeated, it does nothing. Throws as getImport, and conflict. */
export async function cancelImport(db: Db, publicUrl: string, caller: Caller, id: string) {
  await requireImport(db, caller, id);
  await inTransaction(db, async (trx) => {
    const ref = { orgId: caller.id, importId: id };
    if (await endImport(trx, ref, { state: 'canceled' })) await enqueue(trx, caller.id, runImport(ref)); // it deletes the file
  });
  const job = await getImport(db, publicUrl, caller, id);
  if (job.status !== 'canceled') throw conflict(`This import has ended: it is ${job.status}`);
  return job;
}

const REPORT_COLUMNS = ['record', 'external_id', 'left_out', 'code', 'reason'];

/** Returns what was left out of a file, below a line of names. Throws as getImport. */
export async function reportOf(db: Db, caller: Caller, id: string): Promise<AsyncIterable<string[]>> {
  await requireImport(db, caller, id);
  return (async function* () {
    yield REPORT_COLUMNS;
    for await (const finding of readFindings(db, { orgId: caller.id, importId: id }))
      yield [
        String(finding.record),
        finding.external_id ?? '',
        finding.is_left_out ? 'record' : 'part',
        finding.code,
        finding.reason,
      ];
  })();
}
