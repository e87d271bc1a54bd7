import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';

/**
 * Everything of an org's insights that is counted or kept beside their statements, counted anew from the statements.
 * Returns what differs.
 */
export async function differencesFromRecount(db: Db, orgId: string): Promise<{ what: string; id: string }[]> {
  const { rows } = await sql<{ what: string; id: string }>`
    with recursive root as (
      select id, id as root_id from insights where org_id = ${orgId} and merged_into is null
      union all
      select insight.id, root.root_id from root join insights as insight on insight.org_id = ${orgId} and insight.merged_into = root.id
    ), said as (
      select said.*, root.root_id from insight_statements as said join root on root.id = said.own_insight_id where org_id = ${orgId}
    ), place as (
      select root_id, session_id from said group by 1, 2
    )
    select 'root' as what, insight.id::text as id from insights as insight left join root on root.id = insight.id
      where org_id = ${orgId} and insight.root_id is distinct from root.root_id
    union all select 'statement', id::text from said where insight_id is distinct from root_id
    union all select 'count', id::text from insights as insight
      where org_id = ${orgId} and (
        occurrence_count <> (select count(distinct session_id) from said where root_id = insight.id)
        or sentiment is distinct from (select mode() within group (order by sentiment) from said where root_id = insight.id)
        or first_seen_at is distinct from (select min(said_at) from said where root_id = insight.id)
        or last_seen_at is distinct from (select max(said_at) from said where root_id = insight.id)
      )
    union all select 'missing place', session_id::text from place where not exists (
      select from insight_sessions as kept where kept.org_id = ${orgId} and kept.insight_id = place.root_id and kept.session_id = place.session_id)
    union all select 'place', kept.session_id::text from insight_sessions as kept join sessions as session
      on session.org_id = kept.org_id and session.id = kept.session_id
      where kept.org_id = ${orgId} and (
        not exists (select from place where place.root_id = kept.insight_id and place.session_id = kept.session_id)
        or (kept.channel, kept.status, kept.session_created_at) is distinct from (session.channel, session.status, session.created_at)
        or kept.sentiment is distinct from (
          select min(sentiment) filter (where sentiment in ('angry', 'happy')) from said
          where root_id = kept.insight_id and session_id = kept.session_id
        ) and kept.sentiment is distinct from 'neutral'
      )
    union all select 'number', max(number)::text from insights where org_id = ${orgId} having max(number) <> count(*)
  `.execute(db);
  return rows;
}
