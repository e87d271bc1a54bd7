import { setTimeout as sleep } from 'node:timers/promises';
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { invalid } from '../errors.ts';
import { isUuid } from '../ids.ts';
import { APPLICATION_NAME, type Db } from './connect.ts';
import { onlyRow } from './rows.ts';

const MAX_WAIT_MS = 1_000;
const POLL_MS = 5;
const NOT_A_CURSOR = 'must be the `next` of an earlier page';
const WHITE_SPACE = ' \t\r\n';
/** The beginnings of statements that only read. */
const READS = ['select%', '/* read */%'];

/** A position in a list ordered by a timestamp and an id. */
export interface Position {
  at: Date;
  id: string;
}

const encodeCursor = ({ at, id }: Position): string =>
  Buffer.from(`${at.getTime().toString(36)}.${id}`, 'utf8').toString('base64url');

/** Throws invalid if the text is not one of our cursors. */
export function decodeCursor(cursor: string): Position {
  const [, at, id] = /^([0-9a-z]{1,9})\.(.+)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (at === undefined || id === undefined || !isUuid(id))
    throw invalid(`The request is not valid: cursor ${NOT_A_CURSOR}`, [
      { path: 'query.cursor', message: NOT_A_CURSOR },
    ]);
  return { at: new Date(Number.parseInt(at, 36)), id };
}

/** SQL: the condition, order and limit by which work of all orgs is listed: by org and id, behind a row. */
export const behindInOrder = (orgId: string | undefined, id: string | undefined, limit: number): RawBuilder<unknown> =>
  sql`${orgId === undefined ? sql`true` : sql`(org_id, id) > (${orgId}::uuid, ${id}::uuid)`} order by org_id, id limit ${limit}`;

/** Cuts rows read with `limit + 1` to a page and its cursor. */
export function toPage<Row extends { id: string }>(rows: Row[], limit: number, at: (row: Row) => Date) {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor({ at: at(last), id: last.id }) : null;
  return { items, next };
}

/** The order of a list by creation. */
export type ListOrder = 'oldest' | 'newest';

/** Selects the rows of one page of a list ordered by creation. */
export interface PageRequest {
  /** The end of the previous page. */
  after: Position | undefined;
  /** Rows from this time on are left out: a row created earlier may still be committed among them. */
  settled: Date;
  limit: number;
  /** Oldest first where nothing is said. */
  order?: ListOrder | undefined;
}

/** Nothing is left out of a list with the newest rows first: a row that is committed late is seen by the next reading. */
const NEVER = new Date('9999-12-31T00:00:00Z');

/**
 * Restricts a query to the rows of a page, plus one more if there is one. `of` names the table if the query joins
 * several.
 */
export const orderedByCreation =
  ({ after, settled, limit, order = 'oldest' }: PageRequest, of?: string) =>
  <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> => {
    const [at, id] = ['created_at', 'id'].map((column) => sql.ref(of === undefined ? column : `${of}.${column}`));
    const settledOnes = query.where(sql<SqlBool>`${at} < ${settled}`);
    const isBehind = order === 'oldest' ? sql`>` : sql`<`;
    const behind =
      after === undefined
        ? settledOnes
        : settledOnes.where(sql<SqlBool>`(${at}, ${id}) ${isBehind} (${after.at}::timestamptz, ${after.id}::uuid)`);
    const direction = order === 'oldest' ? 'asc' : 'desc';
    return behind
      .orderBy(sql`${at}`, direction)
      .orderBy(sql`${id}`, direction)
      .limit(limit + 1);
  };

/**
 * Reads a page of a list ordered by creation. `read` returns its rows, plus one more if there is one. Throws invalid if
 * the cursor is not ours.
 */
export async function pageOf<Row extends { id: string; created_at: Date }>(
  db: Db,
  { cursor, limit, order = 'oldest' }: { cursor?: string | undefined; limit: number; order?: ListOrder | undefined },
  read: (page: PageRequest) => Promise<Row[]>,
) {
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const settled = order === 'oldest' ? await settledBefore(db) : NEVER;
  const rows = await read({ after, settled, limit, order });
  return toPage(rows, limit, ({ created_at }) => created_at);
}

/**
 * Returns the time before which a list by timestamp is final: no open transaction can add a row before it.
 * Waits up to a second for the transactions open at the call, so that the caller sees everything committed before it.
 * Rows carry the start of their transaction as timestamp, in whole milliseconds.
 * A transaction becomes visible a moment after its start, hence the first sleep.
 */
export async function settledBefore(db: Db): Promise<Date> {
  const { now } = await findOldestWriter(db);
  const final = new Date(now.getTime() + 1);
  const giveUpAt = Date.now() + MAX_WAIT_MS;
  for (;;) {
    await sleep(POLL_MS);
    if (db.isTransaction) await sql`select pg_stat_clear_snapshot()`.execute(db);
    const { oldest } = await findOldestWriter(db);
    if (oldest === null || oldest >= final) return final;
    if (Date.now() > giveUpAt) return oldest;
  }
}

/** Whether no open transaction can add a row with this timestamp or an earlier one. Does not wait for those open. */
export async function isSettled(db: Db, at: Date): Promise<boolean> {
  await sleep(POLL_MS);
  const { oldest } = await findOldestWriter(db);
  return oldest === null || oldest > at;
}

/**
 * Returns the start of the oldest open transaction that may write. A transaction without a write may still write later.
 * Only a read running for more than 200 ms is excluded, since it would block every list.
 */
async function findOldestWriter(db: Db): Promise<{ now: Date; oldest: Date | null }> {
  const times = await sql<{ now: Date; oldest: Date | null }>`
    select clock_timestamp()::timestamptz(3) as now, date_trunc('milliseconds', min(xact_start)) as oldest
    from pg_stat_activity
    where datname = current_database() and application_name = ${APPLICATION_NAME}
      and xact_start is not null and pid <> pg_backend_pid()
      and not (
        backend_xid is null and state = 'active' and wait_event_type is distinct from 'Lock'
        and ltrim(query, ${WHITE_SPACE}) ilike any (${READS}::text[]) and query_start < clock_timestamp() - interval '200 milliseconds'
      )
  `.execute(db);
  return onlyRow(times);
}
