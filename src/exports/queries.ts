import { sql } from 'kysely';
import type { Db, Trx } from '../db/connect.ts';
import { behindInOrder, orderedByCreation, type PageRequest } from '../db/cursor.ts';
import { deleteSome } from '../db/deletion.ts';
import { lockName } from '../db/locks.ts';
import { onlyRow } from '../db/rows.ts';
import type { Actor } from '../schemas/actor.ts';
import type { ExportRef } from './contract.ts';
import type { ExportResource } from './schema.ts';
import type { ExportsTable } from './table.ts';

const RETENTION_DAYS = 30;
const VALID = sql`interval '1 day'`;
/** An org that erases texts all the time would have no export ended otherwise. */
const MAX_RESTARTS = 5;

export interface NewExport extends Pick<ExportsTable, 'id' | 'resource' | 'format'> {
  created_after: string | null;
  created_before: string | null;
  actor: Actor;
}

/** Serializes the starts of exports of an org, and returns how many are running. */
export async function lockAndCountRunning(trx: Trx, orgId: string): Promise<number> {
  await lockName(trx, `exports ${orgId}`);
  const counted = await sql<{ count: number }>`
    select count(*)::integer as count from exports where org_id = ${orgId} and state = 'running'
  `.execute(trx);
  return onlyRow(counted).count;
}

export async function insertExport(trx: Trx, orgId: string, { actor, ...added }: NewExport): Promise<void> {
  await trx
    .insertInto('exports')
    .values({ org_id: orgId, ...added, actor: JSON.stringify(actor) })
    .execute();
}

export const findExport = (db: Db, { orgId, exportId }: ExportRef) =>
  db.selectFrom('exports').selectAll().where('org_id', '=', orgId).where('id', '=', exportId).executeTakeFirst();

export type StoredExport = NonNullable<Awaited<ReturnType<typeof findExport>>>;

/** Lists a page of the exports of some resources by creation. */
export const listExports = (db: Db, orgId: string, resources: ExportResource[], page: PageRequest) =>
  db
    .selectFrom('exports')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('resource', '=', sql<ExportResource>`any(${resources}::text[])`)
    .$call(orderedByCreation(page))
    .execute();

/** Begins the next run of an export. Returns undefined if it has ended. */
export const beginRun = (db: Db, { orgId, exportId }: ExportRef): Promise<StoredExport | undefined> =>
  db
    .updateTable('exports')
    .set({ attempt: sql<number>`attempt + 1`, written: 0, total: null, known_erasures: [] })
    .where('org_id', '=', orgId)
    .where('id', '=', exportId)
    .where('state', '=', 'running')
    .returningAll()
    .executeTakeFirst();

/** One run of an export. */
export type ExportRun = Pick<StoredExport, 'org_id' | 'id' | 'attempt'>;

const updateRun = (db: Db, { org_id, id, attempt }: ExportRun) =>
  db
    .updateTable('exports')
    .where('org_id', '=', org_id)
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running');

/** Records how far a run is. Returns false if it is not the last one, or the export has ended. */
export async function recordProgress(
  db: Db,
  run: ExportRun,
  progress: { written: number } | { total: number; known_erasures: number[] },
): Promise<boolean> {
  const { numUpdatedRows } = await updateRun(db, run).set(progress).executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Completes an export by a run. Returns false if it is not the last one, or the export has ended. */
export async function completeRun(
  trx: Trx,
  run: ExportRun,
  file: { written: number; media_id: string; size: number; sha256: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateRun(trx, run)
    .set({ ...file, total: file.written, state: 'completed', ended_at: sql<Date>`now()` })
    .set({ expires_at: sql<Date>`date_trunc('second', now() + ${VALID})` })
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function failRun(db: Db, run: ExportRun, reason: string): Promise<void> {
  await updateRun(db, run).set({ state: 'failed', reason, ended_at: sql<Date>`now()` }).execute();
}

/** Cancels an export that is running or has a file. Returns undefined for any other, or else the id of its file. */
export const cancelExport = (trx: Trx, { orgId, exportId }: ExportRef) =>
  sql<{ media_id: string | null }>`
    update exports set state = 'canceled', ended_at = coalesce(ended_at, now()), media_id = null
    from (select media_id from exports where org_id = ${orgId} and id = ${exportId} for update) as before
    where org_id = ${orgId} and id = ${exportId} and state in ('running', 'completed')
    returning before.media_id
  `
    .execute(trx)
    .then(({ rows }) => rows[0]);

/** What was erased: the events that say so, and the resources that had it. */
export interface Erasure {
  events: number[];
  resources: ExportResource[];
  reason: string;
}

/**
 * Lets running exports that may have what was erased begin again, and ends those with a file. Returns the ids of their
 * files. What is running comes first: it has completed by then, or never will.
 */
export async function revokeExports(
  trx: Trx,
  orgId: string,
  { events, resources, reason }: Erasure,
): Promise<string[]> {
  const mayHaveIt = sql`resource = any(${resources}::text[]) and not known_erasures @> ${events}::bigint[]`;
  const isLast = sql`restarts + 1 >= ${MAX_RESTARTS}::integer`;
  await sql`
    update exports set attempt = attempt + 1, restarts = restarts + 1, state = case when ${isLast} then 'failed' else state end,
      reason = case when ${isLast} then ${reason} end, ended_at = case when ${isLast} then now() end
    where org_id = ${orgId} and state = 'running' and ${mayHaveIt}
  `.execute(trx);
  const { rows } = await sql<{ media_id: string }>`
    update exports set state = 'expired', reason = ${reason}, expires_at = now()
    where org_id = ${orgId} and state = 'completed' and ${mayHaveIt}
    returning media_id
  `.execute(trx);
  return rows.map(({ media_id }) => media_id);
}

/** Ends some exports of all orgs whose time is over. Returns their files. */
export async function expireSome(trx: Trx, limit: number): Promise<{ org_id: string; media_id: string }[]> {
  const { rows } = await sql<{ org_id: string; media_id: string }>`
    update exports set state = 'expired' where (org_id, id) in (
      select org_id, id from exports where state = 'completed' and expires_at <= now() limit ${limit} for update skip locked
    )
    returning org_id, media_id
  `.execute(trx);
  return rows;
}

/** Returns exports of all orgs that have not ended. */
export async function listRunningExports(db: Db, after: ExportRef | undefined, limit: number): Promise<ExportRef[]> {
  const { rows } = await sql<ExportRef>`
    select org_id as "orgId", id as "exportId" from exports
    where state = 'running' and ${behindInOrder(after?.orgId, after?.exportId, limit)}
  `.execute(db);
  return rows;
}

/** Deletes some exports that ended long ago and have no file. Returns their number. */
export const deleteOldExports = (db: Db): Promise<number> =>
  deleteSome(db, 'exports', sql`ended_at < now() - make_interval(days => ${RETENTION_DAYS}) and state <> 'completed'`);
