import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';
import { conditionsOf, type InboxCriteria, IS_BREACHED, isUnread } from './conditions.queries.ts';
import type { ConfirmationsPort } from './confirmations.port.ts';
import type { InboxPosition } from './cursors.ts';
import { ROW_JOINS, rowColumns, type SelectedRow } from './rows.queries.ts';
import { type InboxFilters, type InboxOrder, PAGE_SIZE } from './schema.ts';

type Condition = RawBuilder<SqlBool>;
const MAX_COUNT = 1_000;

/** The times of the orders, as in the indexes over open sessions. */
const TIMES: Record<InboxOrder, { at: RawBuilder<unknown>; direction: 'asc' | 'desc' }> = {
  newest: { at: sql`coalesce(session.last_message_at, session.created_at)`, direction: 'desc' },
  waiting: { at: sql`coalesce(session.waiting_since, 'infinity')`, direction: 'asc' },
  sla: { at: sql`coalesce(session.sla_due_at, 'infinity')`, direction: 'asc' },
  created: { at: sql`session.created_at`, direction: 'desc' },
};
/** In a closed session nobody waits and no clock runs. */
const NEVER = sql`'infinity'::timestamptz`;

/** The parts of a list, each with a separate index. */
interface Part {
  isClosed: boolean;
  where: Condition;
}
const OPEN: Part = { isClosed: false, where: sql`session.status = 'open' and session.snoozed_at is null` };
const SNOOZED: Part = { isClosed: false, where: sql`session.status = 'open' and session.snoozed_at is not null` };
const CLOSED: Part = { isClosed: true, where: sql`session.status <> 'open'` };
const NOT_CLOSED: Part = { isClosed: false, where: sql`session.status = 'open'` };

const partsOf = (status: InboxFilters['status']): Part[] => {
  if (status === undefined || status === 'all') return [NOT_CLOSED, CLOSED];
  return [{ open: OPEN, snoozed: SNOOZED, closed: CLOSED }[status]];
};

export interface InboxRequest {
  status: InboxFilters['status'];
  criteria: InboxCriteria;
  order: InboxOrder;
  after: InboxPosition | undefined;
  limit: number;
}

/** SQL: the time by which `session` is ordered in its page, as in positions. */
const AT = sql`case when session.at = 'infinity' then 'infinity' else (extract(epoch from session.at) * 1000)::bigint::text end as at`;

/** The filters with an index of their own: whether it is the best depends on the value. */
const INDEXED = ['team', 'channel', 'contact_id', 'created_after', 'created_before', 'tagKey', 'text'] as const;

/**
 * Whether Postgres does best by the same plan for all values of a request. Only for pages of the usual size: their number
 * of rows is part of the statement, and few statements are kept.
 */
export function hasOnePlan({ criteria, limit }: InboxRequest): boolean {
  const { assignee = 'none' } = criteria;
  return limit === PAGE_SIZE && assignee === 'none' && INDEXED.every((name) => criteria[name] === undefined);
}

/** Lists the positions of a page in its order, plus one more if there is one. */
export async function listPositions(db: Db, orgId: string, request: InboxRequest): Promise<InboxPosition[]> {
  const { page, inOrder } = pageOf(orgId, request, sql`session.id`);
  const { rows } = await sql<InboxPosition>`
    ${sql.raw(READ_PLANNED_EACH_TIME)} select session.id, ${AT} from (${page}) as session order by ${inOrder}
  `.execute(db);
  return rows;
}

/** A row with its position. */
type PageRow = SelectedRow & InboxPosition;

/**
 * Lists the rows of a page with their positions in its order, plus one more if there is one. For a request that has one
 * plan for all values: Postgres takes longer to plan this than to do it.
 */
export async function listPageRows(
  db: Db,
  orgId: string,
  request: InboxRequest,
  { memberIds, confirmations }: { memberIds: number[]; confirmations: ConfirmationsPort },
): Promise<PageRow[]> {
  const { page, inOrder } = pageOf(orgId, request, sql`session.*`);
  const { rows } = await sql<PageRow>`
    select ${rowColumns(memberIds, confirmations)}, ${AT} from (${page}) as session ${ROW_JOINS} order by ${inOrder}
  `.execute(db);
  return rows;
}

/**
 * SQL: the sessions of a page, in no order, and its order of `session`. Each part is read by its index until the page is
 * full. Their number is written out: for an unknown one, Postgres plans to read a tenth of all.
 */
function pageOf(orgId: string, request: InboxRequest, columns: RawBuilder<unknown>) {
  const direction = sql.raw(TIMES[request.order].direction);
  const inOrder = sql`session.at ${direction}, session.id ${direction}`;
  const most = sql.raw(String(request.limit + 1));
  const parts = partsOf(request.status).map((part) => sql`(${partOf(orgId, part, request, { columns, most })})`);
  const page = sql`select * from (${sql.join(parts, sql` union all `)}) as session order by ${inOrder} limit ${most}`;
  return { page, inOrder };
}

/** SQL: the first sessions of a part of a list, in its order. */
function partOf(
  orgId: string,
  { isClosed, where }: Part,
  { criteria, order, after }: InboxRequest,
  { columns, most }: { columns: RawBuilder<unknown>; most: RawBuilder<unknown> },
) {
  const { at, direction } = TIMES[order];
  const isUntimed = isClosed && (order === 'waiting' || order === 'sla');
  const conditions = [sql<SqlBool>`session.org_id = ${orgId}`, where, ...conditionsOf(criteria)];
  if (after !== undefined) conditions.push(isBehind(after, { at: isUntimed ? NEVER : at, direction }));
  const sorted = sql.raw(direction);
  return sql`select ${columns}, ${isUntimed ? NEVER : at} as at from sessions as session where ${sql.join(conditions, sql` and `)}
    order by ${isUntimed ? sql`` : sql`${at} ${sorted}, `}session.id ${sorted} limit ${most}`;
}

const isBehind = ({ at, id }: InboxPosition, time: (typeof TIMES)[InboxOrder]): Condition => {
  const after = at === 'infinity' ? NEVER : sql`${new Date(Number(at))}::timestamptz`;
  return sql`(${time.at}, session.id) ${sql.raw(time.direction === 'asc' ? '>' : '<')} (${after}, ${id}::uuid)`;
};

/** SQL: the ids of the sessions of a list, in no order. */
export function sessionsOfList(orgId: string, { status, criteria }: Pick<InboxRequest, 'status' | 'criteria'>) {
  const where = [sql<SqlBool>`session.org_id = ${orgId}`, ...conditionsOf(criteria)];
  const parts = sql.join(
    partsOf(status).map((part) => part.where),
    sql` or `,
  );
  return sql<{
    id: string;
  }>`select session.id from sessions as session where ${sql.join(where, sql` and `)} and (${parts})`;
}

export interface InboxCount {
  total: number;
  unread: number | null;
  breached: number;
}

/** Counts the sessions of a list, those that the member has not read, and the breached ones, each to 1,000 at most. */
export async function countInbox(
  db: Db,
  orgId: string,
  { status, criteria }: Pick<InboxRequest, 'status' | 'criteria'>,
): Promise<InboxCount> {
  const { memberId } = criteria;
  const where = [sql<SqlBool>`session.org_id = ${orgId}`, ...conditionsOf(criteria)];
  const parts = partsOf(status).map((part) => part.where);
  const count = (...more: Condition[]) =>
    sql`(select count(*)::integer from (
      select from sessions as session where ${sql.join([...where, sql<SqlBool>`(${sql.join(parts, sql` or `)})`, ...more], sql` and `)}
      limit ${MAX_COUNT}
    ) as counted)`;
  const counts = sql<InboxCount>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select ${count()} as total, ${count(IS_BREACHED)} as breached,
      ${memberId === null ? sql`null` : count(isUnread(memberId))} as unread
  `;
  return onlyRow(await counts.execute(db));
}
