import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { behindInOrder, orderedByCreation, type PageRequest } from '../db/cursor.ts';
import { deleteSome } from '../db/deletion.ts';
import { lockName } from '../db/locks.ts';
import { onlyRow } from '../db/rows.ts';
import type { Actor } from '../schemas/actor.ts';
import type { ImportRef } from './contract.ts';
import type { Outcome } from './findings.rules.ts';
import type { ImportResource } from './schema.ts';
import type { ImportFindingsTable, ImportsTable } from './table.ts';

const RETENTION_DAYS = 30;
const FINDINGS_PER_READ = 500;

export interface NewImport
  extends Pick<
    ImportsTable,
    'id' | 'source' | 'resource' | 'account' | 'columns' | 'delimiter' | 'storage_key' | 'file_name'
  > {
  size: number;
  position: number;
  lines: number;
}

/** Serializes the starts of imports of an org, and returns how many are running. */
export async function lockAndCountRunning(trx: Trx, orgId: string): Promise<number> {
  await lockName(trx, `imports ${orgId}`);
  const counted = await sql<{ count: number }>`
    select count(*)::integer as count from imports where org_id = ${orgId} and state = 'running'
  `.execute(trx);
  return onlyRow(counted).count;
}

export async function insertImport(trx: Trx, orgId: string, added: NewImport, actor: Actor): Promise<void> {
  await trx
    .insertInto('imports')
    .values({ org_id: orgId, ...added, actor: JSON.stringify(actor) })
    .execute();
}

export const findImport = (db: Db, { orgId, importId }: ImportRef) =>
  db.selectFrom('imports').selectAll().where('org_id', '=', orgId).where('id', '=', importId).executeTakeFirst();

export type StoredImport = NonNullable<Awaited<ReturnType<typeof findImport>>>;

/** Lists a page of the imports of some resources by creation. */
export const listImports = (db: Db, orgId: string, resources: ImportResource[], page: PageRequest) =>
  db
    .selectFrom('imports')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('resource', '=', sql<ImportResource>`any(${resources}::text[])`)
    .$call(orderedByCreation(page))
    .execute();

/** Locks a running import until the transaction ends. Returns how many bytes of its file are done, and how many records. */
export async function lockRunning(
  trx: Trx,
  { orgId, importId }: ImportRef,
): Promise<{ position: number; records: number } | undefined> {
  const { rows } = await sql<{ position: string; records: number }>`
    select position, records from imports where org_id = ${orgId} and id = ${importId} and state = 'running' for update
  `.execute(trx);
  const [row] = rows;
  return row === undefined ? undefined : { position: Number(row.position), records: row.records };
}

/** What a batch of a file has come to. */
export interface BatchResult {
  /** Counts the records before the batch. */
  before: number;
  outcomes: Outcome[];
  end: { bytes: number; lines: number };
}

/** Records what a batch of a file has come to, and that it is done. */
export async function recordBatch(
  trx: Trx,
  { orgId, importId }: ImportRef,
  { before, outcomes, end }: BatchResult,
): Promise<void> {
  await insertFindings(trx, { orgId, importId }, before, outcomes);
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length;
  const incomplete = outcomes.filter(({ result, findings }) => result !== 'left_out' && findings.length > 0).length;
  await sql`
    update imports
    set position = least(${end.bytes}::bigint, size), lines = ${end.lines}::integer, records = records + ${outcomes.length}::integer,
      created = created + ${count('created')}::integer, updated = updated + ${count('updated')}::integer,
      unchanged = unchanged + ${count('unchanged')}::integer, left_out = left_out + ${count('left_out')}::integer,
      incomplete = incomplete + ${incomplete}::integer
    where org_id = ${orgId} and id = ${importId}
  `.execute(trx);
}

async function insertFindings(
  trx: Trx,
  { orgId, importId }: ImportRef,
  before: number,
  outcomes: Outcome[],
): Promise<void> {
  const findings = outcomes.flatMap((outcome, place) =>
    outcome.findings.map(({ code, reason }, nth) => ({
      record: before + place + 1,
      nth,
      external_id: outcome.externalId,
      is_left_out: outcome.result === 'left_out',
      code,
      reason: reason.slice(0, 1_000).replaceAll('\u0000', '').toWellFormed(),
    })),
  );
  if (findings.length === 0) return;
  await sql`
    insert into import_findings (org_id, import_id, record, nth, external_id, is_left_out, code, reason)
    select ${orgId}::uuid, ${importId}::uuid, record, nth, external_id, is_left_out, code, reason
    from jsonb_to_recordset(${JSON.stringify(findings)}::jsonb)
      as row (record int, nth int, external_id text, is_left_out boolean, code text, reason text)
  `.execute(trx);
}

/** Ends an import. Returns false if it has ended before. */
export async function endImport(
  db: Db,
  { orgId, importId }: ImportRef,
  end: { state: 'completed' | 'canceled' } | { state: 'failed'; reason: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('imports')
    .set({ ...end, ended_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', importId)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

type StoredFinding = Omit<ImportFindingsTable, 'org_id' | 'import_id'>;

/** Yields the findings of an import in the order of its file. */
export async function* readFindings(db: Db, { orgId, importId }: ImportRef): AsyncGenerator<StoredFinding> {
  for (let after = { record: 0, nth: 0 }; ; ) {
    const { rows } = await sql<StoredFinding>`
      select record, nth, external_id, is_left_out, code, reason from import_findings
      where org_id = ${orgId} and import_id = ${importId} and (record, nth) > (${after.record}::integer, ${after.nth}::integer)
      order by record, nth limit ${FINDINGS_PER_READ}
    `.execute(db);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Returns imports of all orgs that have not ended. */
export async function listRunningImports(db: Db, after: ImportRef | undefined, limit: number): Promise<ImportRef[]> {
  const { rows } = await sql<ImportRef>`
    select org_id as "orgId", id as "importId" from imports
    where state = 'running' and ${behindInOrder(after?.orgId, after?.importId, limit)}
  `.execute(db);
  return rows;
}

const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Deletes some findings of imports that ended a month ago, or else some of these imports. Returns the number of rows. */
export async function deleteOldImports(db: Db): Promise<number> {
  const findings = await deleteSome(
    db,
    'import_findings',
    sql`(org_id, import_id) in (select org_id, id from imports where ${IS_OLD})`,
  );
  return findings > 0 ? findings : deleteSome(db, 'imports', IS_OLD);
}
