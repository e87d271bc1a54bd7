import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';
import { conditionsOf, type InboxCriteria, IS_BREACHED, isUnread } from './conditions.queries.ts';
import type { InboxPosition } from './cursors.ts';
import type { InboxFilters, InboxOrder } from './schema.ts';

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

/**
 * Lists the positions of a page in its order, plus one more if there is one. Each part is read by its index until the page
 * is full.
 */
export async function listPage(db: Db, orgId: string, request: InboxRequest): Promise<InboxPosition[]> {
  const direction = sql.raw(TIMES[request.order].direction);
  const parts = partsOf(request.status).map((part) => sql`(${partOf(orgId, part, request)})`);
  const { rows } = await sql<InboxPosition>`
    ${sql.raw(READ_PLANNED_EACH_TIME)}
    select id, case when at = 'infinity' then 'infinity' else (extract(epoch from at) * 1000)::bigint::text end as at
    from (${sql.join(parts, sql` union all `)}) as part order by part.at ${direction}, id ${direction} limit ${request.limit + 1}
  `.execute(db);
  return rows;
}

/** SQL: the first sessions of a part of a list, in its order. */
function partOf(orgId: string, { isClosed, where }: Part, { criteria, order, after, limit }: InboxRequest) {
  const { at, direction } = TIMES[order];
  const isUntimed = isClosed && (order === 'waiting' || order === 'sla');
  const conditions = [sql<SqlBool>`session.org_id = ${orgId}`, where, ...conditionsOf(criteria)];
  if (after !== undefined) conditions.push(isBehind(after, { at: isUntimed ? NEVER : at, direction }));
  const sorted = sql.raw(direction);
  return sql`select session.id, ${isUntimed ? NEVER : at} as at from sessions as session where ${sql.join(conditions, sql` and `)}
    order by ${isUntimed ? sql`` : sql`${at} ${sorted}, `}session.id ${sorted} limit ${limit + 1}`;
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
