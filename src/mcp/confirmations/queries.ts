import { type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest } from '../../db/cursor.ts';
import { deleteSome } from '../../db/deletion.ts';
import type { McpConfirmationsTable } from './table.ts';

const RETENTION_DAYS = 30;
/** A call whose process has died can be confirmed again. It is made with the same Idempotency-Key. */
const ABANDONED_AFTER = '60 seconds';

export type Confirmation = Omit<Selectable<McpConfirmationsTable>, 'org_id' | 'is_notified'>;
type NewConfirmation = Pick<Confirmation, 'id' | 'key_id' | 'key_name' | 'tool' | 'arguments' | 'session_id'>;

const COLUMNS = [
  'id',
  'key_id',
  'key_name',
  'tool',
  'arguments',
  'session_id',
  'state',
  'created_at',
  'expires_at',
  'decided_by',
  'decided_at',
  'answer_status',
  'answer',
] as const;

const isWaiting = sql<SqlBool>`state = 'needs_confirmation' and expires_at > now()`;

/** Inserts a call that waits for a day. */
export const insertConfirmation = (db: Db, orgId: string, { arguments: given, ...row }: NewConfirmation) =>
  db
    .insertInto('mcp_confirmations')
    .values({
      org_id: orgId,
      ...row,
      arguments: JSON.stringify(given),
      state: 'needs_confirmation',
      expires_at: sql<Date>`now() + interval '24 hours'`,
    })
    .execute();

export const findConfirmation = (db: Db, orgId: string, id: string): Promise<Confirmation | undefined> =>
  db
    .selectFrom('mcp_confirmations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Returns the call that waits with the same arguments for the same key, if it was asked for within a minute. */
export const findSameConfirmation = (db: Db, orgId: string, { key_id, tool, arguments: given }: NewConfirmation) =>
  db
    .selectFrom('mcp_confirmations')
    .select('id')
    .where('org_id', '=', orgId)
    .where('created_at', '>', sql<Date>`now() - interval '60 seconds'`)
    .where('key_id', '=', key_id)
    .where('tool', '=', tool)
    .where('arguments', '=', sql<never>`${JSON.stringify(given)}::jsonb`)
    .where('state', '<>', 'rejected')
    .executeTakeFirst();

/** Returns the calls of a page, oldest first: those that wait, or all. */
export const listConfirmations = (db: Db, orgId: string, page: PageRequest, { isAll }: { isAll: boolean }) =>
  db
    .selectFrom('mcp_confirmations')
    .select(COLUMNS)
    .where('org_id', '=', orgId)
    .$if(!isAll, (query) => query.where(isWaiting))
    .$call(orderedByCreation(page))
    .execute();

/** Begins a call that waits, or one whose process has died. Returns whether this attempt may make it. */
export async function beginCall(db: Db, orgId: string, id: string, by: string): Promise<boolean> {
  const begun = await db
    .updateTable('mcp_confirmations')
    .set({ state: 'running', decided_by: by, decided_at: sql<Date>`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(
      sql<SqlBool>`((${isWaiting}) or (state = 'running' and decided_at < clock_timestamp() - ${ABANDONED_AFTER}::interval))`,
    )
    .returning('id')
    .executeTakeFirst();
  return begun !== undefined;
}

/** Marks a call that waits as known to members. Returns its session, or undefined if they know or nobody has to decide. */
export const markNotified = (db: Db, orgId: string, id: string) =>
  db
    .updateTable('mcp_confirmations')
    .set({ is_notified: true })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('is_notified', '=', false)
    .where(isWaiting)
    .returning('session_id')
    .executeTakeFirst();

/** Stores how a call ended. */
export const storeAnswer = (
  db: Db,
  orgId: string,
  id: string,
  { state, status, answer }: { state: 'done' | 'failed'; status: number; answer: unknown },
) =>
  db
    .updateTable('mcp_confirmations')
    .set({ state, answer_status: status, answer: answer === undefined ? null : JSON.stringify(answer) })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('state', '=', 'running')
    .execute();

/** Rejects a call that waits. Returns whether it did. */
export async function rejectCall(db: Db, orgId: string, id: string, by: string): Promise<boolean> {
  const rejected = await db
    .updateTable('mcp_confirmations')
    .set({ state: 'rejected', decided_by: by, decided_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isWaiting)
    .returning('id')
    .executeTakeFirst();
  return rejected !== undefined;
}

/** Deletes the calls that write into sessions. */
export const deleteOfSessions = (db: Db, orgId: string, sessionIds: string[]) =>
  db
    .deleteFrom('mcp_confirmations')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .execute();

/** Deletes some calls that are older than 30 days. Returns their number. */
export const deleteOldMcpConfirmations = (db: Db): Promise<number> =>
  deleteSome(db, 'mcp_confirmations', sql`created_at < now() - make_interval(days => ${RETENTION_DAYS})`);
