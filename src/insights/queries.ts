import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import type { Db, Trx } from '../db/connect.ts';
import { lockName } from '../db/locks.ts';

/** Serializes the changes of an org's insights: the assignment of statements, and the centroids. */
export const lockInsights = (trx: Trx, orgId: string): Promise<void> => lockName(trx, `insights ${orgId}`);

/** Selects insights in the API's format, for callers to narrow down. */
export const selectInsights = (db: Db, orgId: string) =>
  db
    .selectFrom('insights as insight')
    .leftJoin('teams as team', (join) =>
      join
        .onRef('team.org_id', '=', 'insight.org_id')
        .onRef('team.id', '=', 'insight.team_id')
        .on('team.deleted_at', 'is', null),
    )
    .where('insight.org_id', '=', orgId)
    .select(['insight.id', 'insight.number', 'insight.content', 'insight.category', 'insight.status'])
    .select(['insight.sentiment', 'insight.occurrence_count', 'insight.first_seen_at', 'insight.last_seen_at'])
    .select(['insight.resolved_at', 'insight.resolved_by', 'insight.archived_reason', 'insight.reopened_because'])
    .select(['insight.created_at', 'insight.updated_at'])
    .select((eb) =>
      eb
        .case()
        .when('team.id', 'is not', null)
        .then(jsonBuildObject({ id: eb.ref('team.id').$notNull(), name: eb.ref('team.name').$notNull() }))
        .end()
        .as('team'),
    );

/** Lists insights by their ids, merged ones too. */
export const listInsightsById = (db: Db, orgId: string, ids: string[]) =>
  selectInsights(db, orgId).where('insight.id', '=', sql<string>`any(${ids}::uuid[])`).execute();

/** Finds an insight's root: the insight it is merged into, or itself. */
export const findInsight = (db: Db, orgId: string, id: string) =>
  selectInsights(db, orgId)
    .where('insight.id', '=', (eb) =>
      eb.selectFrom('insights').select('root_id').where('org_id', '=', orgId).where('id', '=', id),
    )
    .executeTakeFirst();

/** Finds an insight's root, and locks it. */
export const findRootForUpdate = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('insights')
    .select(['id', 'number', 'content', 'category', 'status', 'resolved_at', 'named_by', 'name_sources'])
    .where('org_id', '=', orgId)
    .where('id', '=', (eb) =>
      eb.selectFrom('insights').select('root_id').where('org_id', '=', orgId).where('id', '=', id),
    )
    .forNoKeyUpdate()
    .executeTakeFirst();

/** SQL: the most frequent sentiment by the numbers of statements. Of equally frequent ones anger comes first, then joy. */
const MOST_FREQUENT = sql`case when angry > 0 and angry >= greatest(happy, neutral) then 'angry'
  when happy > 0 and happy >= neutral then 'happy' when neutral > 0 then 'neutral' end`;

/** SQL: the contribution of statements to the counts of their insight. */
const COUNTS = sql`count(*) filter (where sentiment = 'angry')::integer as angry, count(*) filter (where sentiment = 'happy')::integer as happy,
  count(*) filter (where sentiment = 'neutral')::integer as neutral, min(said_at) as first, max(said_at) as last`;

/** Sets the sentiment of insights by the counts of their statements. */
async function updateSentiments(trx: Trx, orgId: string, insightIds: string[]): Promise<void> {
  await sql`
    update insights set sentiment = ${MOST_FREQUENT}
    where org_id = ${orgId} and id = any(${insightIds}::uuid[]) and sentiment is distinct from ${MOST_FREQUENT}
  `.execute(trx);
}

/**
 * Brings the counts of insights in line with their statements: sessions, times and sentiments. It reads all of them, so
 * it is for changes of any statements.
 */
export async function recount(trx: Trx, orgId: string, insightIds: string[]): Promise<void> {
  await sql`
    update insights as insight set occurrence_count = counted.sessions, first_seen_at = counted.first, last_seen_at = counted.last,
      angry = counted.angry, happy = counted.happy, neutral = counted.neutral, updated_at = greatest(insight.updated_at, now())
    from unnest(${insightIds}::uuid[]) as wanted (id)
    cross join lateral (
      select count(distinct session_id) as sessions, ${COUNTS} from insight_statements
      where org_id = ${orgId} and insight_id = wanted.id
    ) as counted
    where insight.org_id = ${orgId} and insight.id = wanted.id
  `.execute(trx);
  await updateSentiments(trx, orgId, insightIds);
}

/** Adds new statements to the counts of their insights. `newPlaces` are the insights in which the session is new. */
export async function countStatements(
  trx: Trx,
  orgId: string,
  statementIds: string[],
  newPlaces: string[],
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update insights as insight set occurrence_count = occurrence_count + (insight.id = any(${newPlaces}::uuid[]))::integer,
      first_seen_at = least(first_seen_at, added.first), last_seen_at = greatest(last_seen_at, added.last),
      angry = insight.angry + added.angry, happy = insight.happy + added.happy, neutral = insight.neutral + added.neutral,
      updated_at = greatest(updated_at, now())
    from (
      select insight_id, ${COUNTS} from insight_statements
      where org_id = ${orgId} and id = any(${statementIds}::uuid[]) group by insight_id
    ) as added
    where insight.org_id = ${orgId} and insight.id = added.insight_id
    returning insight.id
  `.execute(trx);
  await updateSentiments(
    trx,
    orgId,
    rows.map(({ id }) => id),
  );
}

/** SQL: the sentiment of a session's statements in an insight. Anger counts before joy, and joy before nothing. */
const SESSION_SENTIMENT = sql`case when bool_or(sentiment = 'angry') then 'angry' when bool_or(sentiment = 'happy') then 'happy'
  when bool_or(sentiment = 'neutral') then 'neutral' end`;

/**
 * Brings the sessions of insights in line with the statements of these sessions. The sessions must be locked. Returns
 * the insights with a new one.
 */
export async function refreshSessions(
  trx: Trx,
  orgId: string,
  insightIds: string[],
  sessionIds: string[],
): Promise<string[]> {
  await sql`
    delete from insight_sessions as place
    where org_id = ${orgId} and session_id = any(${sessionIds}::uuid[]) and insight_id = any(${insightIds}::uuid[]) and not exists (
      select from insight_statements as said
      where said.org_id = ${orgId} and said.session_id = place.session_id and said.insight_id = place.insight_id
    )
  `.execute(trx);
  const { rows } = await sql<{ insight_id: string; is_new: boolean }>`
    insert into insight_sessions as known (org_id, insight_id, session_id, sentiment, channel, language, status, ticket_sentiment, contact_id,
      session_created_at)
    select session.org_id, said.insight_id, session.id, said.sentiment, session.channel, session.language, session.status,
      session.sentiment, session.contact_id, session.created_at
    from (
      select insight_id, session_id, ${SESSION_SENTIMENT} as sentiment from insight_statements
      where org_id = ${orgId} and session_id = any(${sessionIds}::uuid[]) and insight_id = any(${insightIds}::uuid[])
      group by insight_id, session_id
    ) as said join sessions as session on session.org_id = ${orgId} and session.id = said.session_id
    on conflict (org_id, insight_id, session_id) do update set sentiment = excluded.sentiment
    where known.sentiment is distinct from excluded.sentiment
    returning known.insight_id, known.xmax = 0 as is_new
  `.execute(trx);
  return rows.filter(({ is_new }) => is_new).map(({ insight_id }) => insight_id);
}

/**
 * Moves the sessions of an insight to another one, after some or all of its statements were moved there. The columns
 * for filters are copied from the locked rows, so no session has to be locked.
 */
export async function moveSessions(trx: Trx, orgId: string, from: string, to: string): Promise<void> {
  await sql`
    insert into insight_sessions (org_id, insight_id, session_id, sentiment, channel, language, status, ticket_sentiment, contact_id,
      session_created_at)
    select org_id, ${to}::uuid, session_id, sentiment, channel, language, status, ticket_sentiment, contact_id, session_created_at
    from (select * from insight_sessions where org_id = ${orgId} and insight_id = ${from} for no key update) as place
    where exists (
      select from insight_statements as said
      where said.org_id = ${orgId} and said.session_id = place.session_id and said.insight_id = ${to}
    )
    on conflict do nothing
  `.execute(trx);
  await sql`
    delete from insight_sessions as place where org_id = ${orgId} and insight_id = ${from} and not exists (
      select from insight_statements as said
      where said.org_id = ${orgId} and said.session_id = place.session_id and said.insight_id = ${from}
    )
  `.execute(trx);
  await sql`
    update insight_sessions as place set sentiment = said.sentiment
    from (
      select insight_id, session_id, ${SESSION_SENTIMENT} as sentiment from insight_statements
      where org_id = ${orgId} and insight_id = any(${[from, to]}::uuid[]) group by insight_id, session_id
    ) as said
    where place.org_id = ${orgId} and place.insight_id = said.insight_id and place.session_id = said.session_id
      and place.sentiment is distinct from said.sentiment
  `.execute(trx);
}
