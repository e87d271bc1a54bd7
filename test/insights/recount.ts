import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import {
  addVector,
  emptySum,
  readSum,
  readVector,
  type VectorSum,
} from '../../src/insights/similarity/vectors.rules.ts';
import { ALL_TEXTS } from '../../src/insights/similarity/words.rules.ts';
import { featuresOf } from '../../src/tagging/features.rules.ts';

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

/**
 * The sums of an org's vectors, beside the same added up anew. Each insight's is of its own statements in the space of the
 * sum. The org's is of those that stand in a sum of its own space. Returns what differs, with both.
 */
export async function differencesFromSums(db: Db, orgId: string): Promise<unknown[]> {
  const statements = await db
    .selectFrom('insight_statements as said')
    .innerJoin('insight_centroids as centroid', (join) =>
      join
        .onRef('centroid.org_id', '=', 'said.org_id')
        .onRef('centroid.insight_id', '=', 'said.own_insight_id')
        .onRef('centroid.space', '=', 'said.space'),
    )
    .select(['centroid.insight_id', 'said.space', 'said.vector'])
    .where('said.org_id', '=', orgId)
    .$narrowType<{ vector: Buffer }>()
    .execute();
  const centroids = await db.selectFrom('insight_centroids').selectAll().where('org_id', '=', orgId).execute();
  const spaces = await db.selectFrom('insight_spaces').selectAll().where('org_id', '=', orgId).execute();
  const kept = [...centroids, ...spaces.map((row) => ({ ...row, insight_id: null }))];
  return kept.flatMap(({ insight_id, space, sum, vectors }) => {
    const own = statements.filter((one) => one.space === space && (insight_id ?? one.insight_id) === one.insight_id);
    const expected = emptySum(readSum(sum).length);
    for (const { vector } of own) addVector(expected, readVector(vector));
    return isSame({ sum: readSum(sum), vectors }, expected)
      ? []
      : [{ insight_id, vectors, expected: expected.vectors }];
  });
}

const isSame = (one: VectorSum, other: VectorSum): boolean =>
  one.vectors === other.vectors &&
  one.sum.length === other.sum.length &&
  one.sum.every((part, nth) => part === other.sum[nth]);

/** How many statements an org has, and in how many each feature of words occurs, as it is stored and counted anew. */
export async function termsOf(db: Db, orgId: string): Promise<{ stored: object; counted: object }> {
  const terms = await db.selectFrom('insight_terms').selectAll().where('org_id', '=', orgId).execute();
  const said = await db.selectFrom('insight_statements').select('content').where('org_id', '=', orgId).execute();
  const counted = new Map<number, number>();
  for (const { content } of said)
    for (const bucket of [ALL_TEXTS, ...featuresOf(content).buckets])
      counted.set(bucket, (counted.get(bucket) ?? 0) + 1);
  return {
    stored: Object.fromEntries(terms.map(({ bucket, texts }) => [bucket, texts])),
    counted: Object.fromEntries(counted),
  };
}
