import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/connect.ts';
import { READ_PLANNED_EACH_TIME } from '../../db/connections/preparing-client.ts';
import { onlyRow } from '../../db/rows.ts';
import { selectInsights } from '../queries.ts';
import { INSIGHTS_PER_PAGE, type InsightQuery, TREND_WEEKS } from './schema.ts';

type Condition = RawBuilder<SqlBool>;
type Data = Record<string, string>[];

/**
 * Lists a page of the matching insights, each with the number of its matching sessions. `settled`: only those changed
 * before this.
 */
export async function listMatching(db: Db, orgId: string, query: InsightQuery, settled: Date | null) {
  const sortBy = query.sortBy ?? 'occurrence_count';
  const direction = query.sortOrder ?? 'desc';
  const key = sortBy === 'occurrence_count' ? sql`match.sessions` : sql`insight.${sql.ref(sortBy)}`;
  const order = sql`${key} ${sql.raw(direction)} nulls last, insight.number ${sql.raw(direction)}`;
  const page = sql`limit ${INSIGHTS_PER_PAGE} offset ${(query.page - 1) * INSIGHTS_PER_PAGE}`;
  const hit = sql<{ id: string; sessions: number; total: number; nth: number }>`(
    with match as materialized (${matches(orgId, query, settled)})
    select insight.id, match.sessions, row_number() over (order by ${order}) as nth, (select count(*) from match) as total
    from match join insights as insight on insight.org_id = ${orgId} and insight.id = match.id
    order by ${order} ${page}
  )`.as('hit');
  return selectInsights(db, orgId)
    .innerJoin(hit, 'hit.id', 'insight.id')
    .select(['hit.sessions as occurrence_count', 'hit.total'])
    .modifyFront(sql.raw(READ_PLANNED_EACH_TIME))
    .orderBy('hit.nth')
    .execute();
}

/** Returns the number of matching insights. */
export async function countMatching(db: Db, orgId: string, query: InsightQuery, settled: Date | null): Promise<number> {
  const counted = sql<{ total: number }>`
    ${sql.raw(READ_PLANNED_EACH_TIME)} select count(*) as total from (${matches(orgId, query, settled)}) as match
  `;
  return onlyRow(await counted.execute(db)).total;
}

/** Counts the sessions of insights by the week of their creation: 0 is the week until now. */
export const countByWeek = (db: Db, orgId: string, insightIds: string[]) =>
  sql<{ insight_id: string; weeks_ago: number; sessions: number }>`
    select insight_id, floor(extract(epoch from now() - session_created_at) / 604800)::int as weeks_ago, count(*)::int as sessions
    from insight_sessions
    where org_id = ${orgId} and session_created_at > now() - make_interval(weeks => ${TREND_WEEKS}::int)
      and session_created_at <= now() and insight_id = any(${insightIds}::uuid[])
    group by insight_id, weeks_ago
  `.execute(db);

/** SQL: the ids of the matching insights, with the number of their matching sessions. */
function matches(orgId: string, query: InsightQuery, settled: Date | null) {
  const isSettled = settled === null ? [] : [sql`insight.updated_at < ${settled}`];
  const own = sql.join([...conditionsOnInsights(query), ...isSettled], sql` and `);
  const others = conditionsOnSessions(orgId, query);
  const { from, to } = rangeOf(query);
  const least = query.minSessions ?? 0;
  const isRange = from !== null || to !== null;
  if (others.length === 0 && !isRange)
    return sql`
      select id, occurrence_count as sessions from insights as insight
      where org_id = ${orgId} and ${own} and occurrence_count >= ${least}
    `;
  const inRange = [
    ...(from === null ? [] : [sql`place.session_created_at >= ${from}`]),
    ...(to === null ? [] : [sql`place.session_created_at <= ${to}`]),
  ];
  const counted = sql`
    select insight.id, place.sessions from (
      select insight_id, count(*) as sessions from insight_sessions as place
      where org_id = ${orgId} and ${sql.join([...others, ...inRange], sql` and `)} group by insight_id having count(*) >= ${least}
    ) as place join insights as insight on insight.org_id = ${orgId} and insight.id = place.insight_id
    where ${own}
  `;
  return others.length === 0 ? countedOnTheShorterSide(orgId, { from, to, own, least, counted }) : counted;
}

interface RangeOnly extends Range {
  own: RawBuilder<unknown>;
  least: number;
  /** The matches, counted in the range. */
  counted: RawBuilder<unknown>;
}

/**
 * SQL: the matches of a range of times. If it covers most of the time between the first and the last session, the
 * sessions outside of it are counted and subtracted from the total of each insight. Only one of the two sides is read.
 */
const countedOnTheShorterSide = (orgId: string, { from, to, own, least, counted }: RangeOnly) => sql`
  with range as materialized (
    select coalesce(least(ends_at, ${to}::timestamptz) - greatest(begins_at, ${from}::timestamptz) > (ends_at - begins_at) / 2, false) as is_most
    from (
      select min(session_created_at) as begins_at, max(session_created_at) as ends_at from insight_sessions where org_id = ${orgId}
    ) as all_sessions
  )
  select * from (${counted}) as within where not (select is_most from range)
  union all
  select insight.id, insight.occurrence_count - coalesce(outside.sessions, 0) from insights as insight left join (
    select insight_id, count(*) as sessions from (
      select insight_id from insight_sessions where org_id = ${orgId} and session_created_at < ${from}::timestamptz
      union all
      select insight_id from insight_sessions where org_id = ${orgId} and session_created_at > ${to}::timestamptz
    ) as place group by insight_id
  ) as outside on outside.insight_id = insight.id
  where insight.org_id = ${orgId} and ${own} and insight.occurrence_count - coalesce(outside.sessions, 0) >= ${Math.max(least, 1)}
    and (select is_most from range)
`;

function conditionsOnInsights({
  category,
  status,
  search,
  teamId,
  insightNumber,
  updated_after,
}: InsightQuery): Condition[] {
  const conditions: Condition[] = [sql`insight.merged_into is null`];
  const add = (condition: Condition) => void conditions.push(condition);
  if (category != null) add(sql`insight.category = ${category}`);
  if (status != null && status !== 'all') add(sql`insight.status = ${status}`);
  if (search != null && search !== '') add(sql`position(lower(${search}) in lower(insight.content)) > 0`);
  if (teamId === 'not_assigned') add(sql`insight.team_id is null`);
  else if (teamId != null) add(sql`insight.team_id = ${teamId}`);
  if (insightNumber != null)
    add(sql`insight.id = (
      select root_id from insights as numbered where numbered.org_id = insight.org_id and numbered.number = ${insightNumber}
    )`);
  if (updated_after != null) add(sql`insight.updated_at >= ${new Date(updated_after)}`);
  return conditions;
}

/** An insight's columns about its sessions, and their names in the sessions. */
const COPIED = {
  ticket_sentiment: 'sentiment',
  language: 'language',
  channel: 'channel',
  status: 'status',
  contact_id: 'contact_id',
} as const;
type Copied = keyof typeof COPIED;

/**
 * Conditions on `place`. If sessions are read anyway, for columns of theirs alone, all conditions narrow them: an index
 * alone leads from few sessions to their insights.
 */
function conditionsOnSessions(orgId: string, query: InsightQuery): Condition[] {
  const own = query.sentiment == null ? [] : [sql<SqlBool>`place.sentiment = ${query.sentiment}`];
  const ofTicket = objectsOf(query.ticketCustomData);
  if (ofTicket === undefined) return [...own, ...conditionsOnCopies(orgId, query, (name) => sql.ref(`place.${name}`))];
  const others = conditionsOnCopies(orgId, query, (name) => sql.ref(`session.${COPIED[name]}`));
  const narrowed = [sql`session.custom_data @> any(${ofTicket}::jsonb[])`, sql`session.custom_data <> '{}'`, ...others];
  return [
    ...own,
    sql`place.session_id in (
      select session.id from sessions as session where session.org_id = ${orgId} and ${sql.join(narrowed, sql` and `)}
    )`,
  ];
}

function conditionsOnCopies(
  orgId: string,
  query: InsightQuery,
  column: (name: Copied) => RawBuilder<unknown>,
): Condition[] {
  const conditions: Condition[] = [];
  const equals = (name: Copied, value: string | null | undefined) => {
    if (value != null) conditions.push(sql`${column(name)} = ${value}`);
  };
  equals('ticket_sentiment', query.ticketSentiment);
  equals('language', query.sessionLanguage);
  equals('channel', query.channel);
  equals('status', query.sessionStatus);
  equals('contact_id', query.sessionContactId);
  const ofContact = objectsOf(query.contactCustomData);
  if (ofContact !== undefined)
    conditions.push(
      sql`${column('contact_id')} in (select id from contacts where org_id = ${orgId} and custom_data @> any(${ofContact}::jsonb[]))`,
    );
  return conditions;
}

interface Range {
  from: Date | null;
  to: Date | null;
}

/** Returns the range of the sessions' creation times, both ends included. */
const rangeOf = ({ sessionFromDate, sessionToDate }: InsightQuery): Range => ({
  from: sessionFromDate == null ? null : new Date(sessionFromDate),
  to: sessionToDate == null ? null : endOf(sessionToDate),
});

const LENGTH_OF_A_DAY = '2026-01-31'.length;

/** Returns a time, or the last moment of a day. */
const endOf = (text: string): Date => new Date(text.length === LENGTH_OF_A_DAY ? `${text}T23:59:59.999Z` : text);

/** Returns the objects as JSON, or undefined if they are no condition: there are none, or one has no pair. */
function objectsOf(objects: Data | null | undefined): string[] | undefined {
  if (objects == null || objects.length === 0 || objects.some((object) => Object.keys(object).length === 0))
    return undefined;
  return objects.map((object) => JSON.stringify(object));
}
