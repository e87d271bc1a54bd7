import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { isUuid } from '../../ids.ts';
import { type Reader, selectSessions } from '../queries.ts';
import type { FilterSessions, SessionFilters } from './filter.schema.ts';

/**
 * The number of sessions scanned in order before the set of all matches is built. A page of 25 is found among them if
 * one in sixty matches.
 */
const SCAN_WINDOW = 1_500;
/** The number of additional sessions to scan for each session up to the end of the page. */
const SCAN_WINDOW_FACTOR = 3;

/** The orders of the indexes. A session without a message counts as the one silent for longest. */
const ORDERS = {
  last_message_at: { desc: sql`at desc nulls last, id desc`, asc: sql`at asc nulls first, id asc` },
  created_at: { desc: sql`at desc, id desc`, asc: sql`at asc, id asc` },
};

type Condition = RawBuilder<SqlBool>;
interface FilterCriteria extends Pick<FilterSessions, 'filters' | 'sort_by' | 'sort_order'> {
  /** The keys of `filters.tags`. */
  tagKeys: string[];
}

/**
 * Lists the ids of the sessions meeting every condition, after the first `offset`, in a total order. If matches are
 * frequent, the first sessions in order contain the page; otherwise it is taken from the set of all matches. The rows are
 * read by another statement: that one has one plan for all conditions, which takes longer to make than this page to find.
 */
export async function listFilteredIds(
  db: Db,
  orgId: string,
  { filters, tagKeys, sort_by, sort_order }: FilterCriteria,
  { offset, limit }: { offset: number; limit: number },
): Promise<string[]> {
  const at = sql.ref(`session.${sort_by}`);
  const order = ORDERS[sort_by][sort_order];
  const dated = withinDates(filters);
  const place = [sql<SqlBool>`session.org_id = ${orgId}`, ...(sort_by === 'created_at' ? dated : [])];
  const conditions = [...(sort_by === 'created_at' ? [] : dated), ...conditionsOf(filters)];
  const sessions = (where: Condition[]) =>
    sql`select session.*, ${at} as at from sessions as session where ${sql.join(where, sql` and `)}`;
  const page = sql`order by ${order} limit ${limit} offset ${offset}`;
  const isAll = conditions.length === 0 && tagKeys.length === 0;
  const window = SCAN_WINDOW + SCAN_WINDOW_FACTOR * (offset + limit);
  const matches = (lookup: LookupStrategy) => [...conditions, ...tagKeys.map((key) => hasTag(orgId, key, lookup))];
  const hit = isAll
    ? sql`(select id, at from (${sessions(place)}) as session ${page})`
    : sql`(
      with near as materialized (
        select id, at from (${sessions(place)} order by ${order} limit ${window}) as session
        where ${sql.join(matches('probes'), sql` and `)} ${page}
      )
      select * from near where (select count(*) from near) >= ${limit}
      union all
      select * from (
        select id, at from (select id, at from (${sessions([...place, ...matches('sets')])}) as session offset 0) as match ${page}
      ) as far where (select count(*) from near) < ${limit}
    )`;
  const { rows } = await sql<{
    id: string;
  }>`${sql.raw(READ_PLANNED_EACH_TIME)} select id from ${hit} as page order by ${order}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists sessions by id in the API's format, as a member or a program sees them, in no order. */
export const listShownSessions = (db: Db, orgId: string, ids: string[], { memberId }: Reader) =>
  selectSessions(db, orgId, memberId).where('session.id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** SQL: the ids of the sessions meeting every condition, in no order. */
export const sessionsWhere = (orgId: string, { filters, tagKeys }: Pick<FilterCriteria, 'filters' | 'tagKeys'>) => {
  const conditions = [
    sql<SqlBool>`session.org_id = ${orgId}`,
    ...withinDates(filters),
    ...conditionsOf(filters),
    ...tagKeys.map((key) => hasTag(orgId, key, 'sets')),
  ];
  return sql<{ id: string }>`select session.id from sessions as session where ${sql.join(conditions, sql` and `)}`;
};

/** Whether rows of other tables are found by index for each session (`probes`), or as one set (`sets`). */
type LookupStrategy = 'sets' | 'probes';

function withinDates({ date }: SessionFilters): Condition[] {
  const conditions: Condition[] = [];
  if (date?.from !== undefined) conditions.push(sql`session.created_at >= ${new Date(date.from)}`);
  if (date?.to !== undefined) conditions.push(sql`session.created_at <= ${new Date(date.to)}`);
  return conditions;
}

function conditionsOf(filters: SessionFilters): Condition[] {
  const { assignees, ticket_number, waiting_on } = filters;
  return [
    ...isOneOf('channel', filters.channels, sql`text[]`),
    ...isOneOf('status_code', filters.status, sql`bigint[]`),
    ...isOneOf('ai_closure_type', filters.ai_closure, sql`text[]`),
    ...isOneOf('sentiment', filters.sentiment, sql`text[]`),
    ...(assignees?.length === 0
      ? [sql<SqlBool>`session.assignee_id is null`]
      : isOneOf('assignee_id', assignees, sql`bigint[]`)),
    ...isOneOf('team_id', filters.team_ids, sql`uuid[]`, isUuid),
    ...isOneOf('contact_id', filters.contact_ids, sql`uuid[]`, isUuid),
    ...(ticket_number === undefined ? [] : [sql<SqlBool>`session.ticket_number = ${ticket_number}::bigint`]),
    ...isOneOf('language', filters.language, sql`text[]`),
    ...(waiting_on === undefined ? [] : [sql<SqlBool>`session.waiting_on = ${waiting_on}`]),
    ...hasData(filters.custom_data ?? []),
  ];
}

/**
 * Requires one of the values in the column. No values mean no condition; values refused by `isPossible` match no
 * session.
 */
function isOneOf<Value>(
  column: string,
  values: Value[] | undefined,
  type: RawBuilder<unknown>,
  isPossible: (value: Value) => boolean = () => true,
): Condition[] {
  if (values === undefined || values.length === 0) return [];
  return [sql`${sql.ref(`session.${column}`)} = any(${values.filter(isPossible)}::${type})`];
}

function hasData(objects: Record<string, string>[]): Condition[] {
  if (objects.length === 0 || objects.some((object) => Object.keys(object).length === 0)) return [];
  const wanted = objects.map((object) => JSON.stringify(object));
  return [sql`session.custom_data <> '{}' and session.custom_data @> any(${wanted}::jsonb[])`];
}

function hasTag(orgId: string, key: string, lookup: LookupStrategy): Condition {
  const given = sql`from session_tags as given where given.org_id = ${orgId} and given.tag_key = ${key}`;
  return lookup === 'sets'
    ? sql`session.id in (select given.session_id ${given})`
    : sql`((select 1 ${given} and given.session_id = session.id limit 1) is not null)`;
}
