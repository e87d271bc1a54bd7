import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { behindInOrder, orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { deleteSome } from '../../db/deletion.ts';
import type { Actor } from '../../schemas/actor.ts';
import type { FurtherKeys } from '../merging/rules.ts';
import type { ContactImportRef } from './contract.ts';
import type { CsvPosition } from './lines.ts';
import type { ContactImportRefusalsTable, ContactImportsTable } from './table.ts';

const RETENTION_DAYS = 7;
const LINES_PER_READ = 500;

export interface NewImport
  extends Pick<ContactImportsTable, 'key' | 'does_update' | 'columns' | 'delimiter' | 'file_name'> {
  id: string;
  storage_key: string;
  size: number;
  position: number;
  lines: number;
}

export async function insertImport(trx: Trx, orgId: string, added: NewImport, actor: Actor): Promise<void> {
  await trx
    .insertInto('contact_imports')
    .values({ org_id: orgId, ...added, actor: JSON.stringify(actor) })
    .execute();
}

export const findImport = (db: Db, { orgId, importId }: ContactImportRef) =>
  db
    .selectFrom('contact_imports')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', importId)
    .executeTakeFirst();

export type StoredImport = NonNullable<Awaited<ReturnType<typeof findImport>>>;

/** Lists a page of the imports by creation. */
export const listImports = (db: Db, orgId: string, page: PageRequest) =>
  db.selectFrom('contact_imports').selectAll().where('org_id', '=', orgId).$call(orderedByCreation(page)).execute();

/** Locks an import until the transaction ends. Returns how many bytes of its file are done. */
export async function lockPosition(trx: Trx, { orgId, importId }: ContactImportRef): Promise<number | undefined> {
  const row = await trx
    .selectFrom('contact_imports')
    .select('position')
    .where('org_id', '=', orgId)
    .where('id', '=', importId)
    .forUpdate()
    .executeTakeFirst();
  return row === undefined ? undefined : Number(row.position);
}

export type Refusal = Pick<ContactImportRefusalsTable, 'line' | 'reason' | 'record'>;
export type Counts = Record<'created' | 'updated' | 'skipped', number>;

/** Records what some lines have come to, and that they are done. */
export async function recordLines(
  trx: Trx,
  { orgId, importId }: ContactImportRef,
  { counts, refusals, end }: { counts: Counts; refusals: Refusal[]; end: CsvPosition },
): Promise<void> {
  if (refusals.length > 0)
    await trx
      .insertInto('contact_import_refusals')
      .values(refusals.map((refusal) => ({ org_id: orgId, import_id: importId, ...refusal })))
      .execute();
  await sql`
    update contact_imports
    set position = least(${end.bytes}::bigint, size), lines = ${end.lines}::integer, created = created + ${counts.created}::integer,
      updated = updated + ${counts.updated}::integer, skipped = skipped + ${counts.skipped}::integer,
      refused = refused + ${refusals.length}::integer
    where org_id = ${orgId} and id = ${importId}
  `.execute(trx);
}

/** Ends a running import. */
export async function endImport(
  db: Db,
  { orgId, importId }: ContactImportRef,
  end: { state: 'completed' } | { state: 'failed'; reason: string },
): Promise<void> {
  await db
    .updateTable('contact_imports')
    .set({ ...end, ended_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', importId)
    .where('state', '=', 'running')
    .execute();
}

/** Yields the refused lines of an import in their order. */
export async function* readRefusals(db: Db, { orgId, importId }: ContactImportRef): AsyncGenerator<Refusal> {
  for (let after = -1; ; ) {
    const refusals = await db
      .selectFrom('contact_import_refusals')
      .select(['line', 'reason', 'record'])
      .where('org_id', '=', orgId)
      .where('import_id', '=', importId)
      .where('line', '>', after)
      .orderBy('line')
      .limit(LINES_PER_READ)
      .execute();
    yield* refusals;
    const last = refusals.at(-1);
    if (last === undefined) return;
    after = last.line;
  }
}

/** Removes the cells of refused lines that have an address or the external id of a contact. */
export async function eraseRefusedLines(trx: Trx, orgId: string, contact: FurtherKeys): Promise<void> {
  const values = [contact.email, contact.phone_number, contact.external_id].flatMap(
    (value) => value?.toLowerCase() ?? [],
  );
  await sql`
    update contact_import_refusals set record = '{}', reason = 'erased'
    where org_id = ${orgId}
      and exists (select from unnest(record) as cell where lower(cell) = any(${values}::text[]))
  `.execute(trx);
}

/** Returns imports of all orgs that have not ended. */
export async function listRunningImports(
  db: Db,
  after: ContactImportRef | undefined,
  limit: number,
): Promise<ContactImportRef[]> {
  const { rows } = await sql<ContactImportRef>`
    select org_id as "orgId", id as "importId" from contact_imports
    where state = 'running'
      and ${behindInOrder(after?.orgId, after?.importId, limit)}
  `.execute(db);
  return rows;
}

/** Belongs to an import that ended long ago. */
const IS_OLD = sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS})`;

/** Deletes some refused lines of imports that ended a week ago, or else some of these imports. Returns the number of rows. */
export async function deleteOldImports(db: Db): Promise<number> {
  const lines = await deleteSome(
    db,
    'contact_import_refusals',
    sql`(org_id, import_id) in (select org_id, id from contact_imports where ${IS_OLD})`,
  );
  return lines > 0 ? lines : deleteSome(db, 'contact_imports', IS_OLD);
}
