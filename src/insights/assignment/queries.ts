import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { onlyRow } from '../../db/rows.ts';

/** Lists a session's statements that belong to no insight yet, in the order of the conversation. */
export const listUnassigned = (db: Db, orgId: string, sessionId: string) =>
  db
    .selectFrom('insight_statements')
    .select(['id', 'content', 'said_at', 'space', 'vector'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('insight_id', 'is', null)
    .orderBy('said_at')
    .orderBy('id')
    .execute();

export interface NewVector {
  id: string;
  space: string;
  vector: Buffer;
}

const vectorRows = (vectors: NewVector[]) => {
  const rows = vectors.map(({ vector, ...row }) => ({ ...row, vector: vector.toString('hex') }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as made (id uuid, space text, vector text)`;
};

/**
 * Stores the vectors of statements, or only of these insights' own statements. Statements deleted meanwhile are left
 * out.
 */
export async function updateVectors(db: Db, orgId: string, vectors: NewVector[], ofInsights?: string[]): Promise<void> {
  await sql`
    update insight_statements as said set space = made.space, vector = decode(made.vector, 'hex')
    from ${vectorRows(vectors)} where said.org_id = ${orgId} and said.id = made.id
      ${ofInsights === undefined ? sql`` : sql`and said.own_insight_id = any(${ofInsights}::uuid[])`}
  `.execute(db);
}

/** Removes the vectors of a session's statements without an insight. */
export async function clearVectors(db: Db, orgId: string, sessionId: string): Promise<void> {
  await db
    .updateTable('insight_statements')
    .set({ space: null, vector: null })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('insight_id', 'is', null)
    .execute();
}

export const findSpace = (db: Db, orgId: string) =>
  db
    .selectFrom('insight_spaces')
    .select(['space', 'sum', 'vectors', 'revision'])
    .where('org_id', '=', orgId)
    .executeTakeFirst();

/** Stores the sum of an org's vectors with the next revision, and returns the revision. */
export async function upsertSpace(
  trx: Trx,
  orgId: string,
  { space, sum, vectors }: { space: string; sum: Buffer; vectors: number },
): Promise<number> {
  const { revision } = onlyRow(
    await sql<{ revision: number }>`
      insert into insight_spaces as known (org_id, space, sum, vectors, revision)
      values (${orgId}, ${space}, ${sum}, ${vectors}, 1)
      on conflict (org_id) do update
      set space = excluded.space, sum = excluded.sum, vectors = excluded.vectors, revision = known.revision + 1
      returning revision
    `.execute(trx),
  );
  return revision;
}

/** Returns the revision of the org's vectors stored by others. */
export async function findRevision(db: Db, orgId: string): Promise<number> {
  const row = await db.selectFrom('insight_spaces').select('revision').where('org_id', '=', orgId).executeTakeFirst();
  return row?.revision ?? 0;
}

/** SQL: centroids with their insight and its root: the insight it is merged into, or itself. */
const selectCentroids = (db: Db, orgId: string) =>
  db
    .selectFrom('insight_centroids as centroid')
    .innerJoin('insights as insight', (join) =>
      join.onRef('insight.org_id', '=', 'centroid.org_id').onRef('insight.id', '=', 'centroid.insight_id'),
    )
    .innerJoin('insights as root', (join) =>
      join.onRef('root.org_id', '=', 'insight.org_id').onRef('root.id', '=', 'insight.root_id'),
    )
    .where('centroid.org_id', '=', orgId);

/**
 * Lists the insights with centroids changed after a revision: those with the most sessions first, then the last seen.
 */
export async function listChangedCentroids(db: Db, orgId: string, after: number): Promise<string[]> {
  const rows = await selectCentroids(db, orgId)
    .select('centroid.insight_id')
    .where('centroid.revision', '>', after)
    .orderBy('root.occurrence_count', 'desc')
    .orderBy('root.last_seen_at', (order) => order.desc().nullsLast())
    .orderBy('centroid.insight_id')
    .execute();
  return rows.map(({ insight_id }) => insight_id);
}

/** Lists the centroids of insights, with the roots of these. */
export const listCentroids = (db: Db, orgId: string, insightIds: string[]) =>
  selectCentroids(db, orgId)
    .select(['centroid.insight_id', 'insight.root_id', 'centroid.space', 'centroid.sum', 'centroid.vectors'])
    .select(['root.occurrence_count', 'root.last_seen_at'])
    .where('centroid.insight_id', '=', sql<string>`any(${insightIds}::uuid[])`)
    .execute();

export const listCentroidsOf = (db: Db, orgId: string, insightIds: string[]) =>
  db
    .selectFrom('insight_centroids')
    .select(['insight_id', 'space', 'sum', 'vectors'])
    .where('org_id', '=', orgId)
    .where('insight_id', '=', sql<string>`any(${insightIds}::uuid[])`)
    .execute();

export interface NewCentroid {
  insight_id: string;
  sum: Buffer;
  vectors: number;
}

/** Stores centroids of a space, with the org's latest revision. */
export async function upsertCentroids(
  trx: Trx,
  orgId: string,
  { space, revision }: { space: string; revision: number },
  centroids: NewCentroid[],
): Promise<void> {
  const rows = centroids.map(({ sum, ...row }) => ({ ...row, sum: sum.toString('hex') }));
  await sql`
    insert into insight_centroids (org_id, insight_id, space, sum, vectors, revision)
    select ${orgId}::uuid, insight_id, ${space}, decode(sum, 'hex'), vectors, ${revision}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as made (insight_id uuid, sum text, vectors integer)
    on conflict (org_id, insight_id) do update
    set space = excluded.space, sum = excluded.sum, vectors = excluded.vectors, revision = excluded.revision
  `.execute(trx);
}

/** SQL: the centroid is of another space. Two ranges, as an index finds them. */
const isElsewhere = (space: string) => sql<boolean>`(space < ${space} or space > ${space})`;

/** Whether all centroids of the org are of this space. */
export async function isAligned(db: Db, orgId: string, space: string): Promise<boolean> {
  const row = await db
    .selectFrom('insight_centroids')
    .select('insight_id')
    .where('org_id', '=', orgId)
    .where(isElsewhere(space))
    .limit(1)
    .executeTakeFirst();
  return row === undefined;
}

export interface UnalignedStatement {
  insight_id: string;
  id: string;
  content: string;
}

/** Lists some insights with a centroid of another space, and the latest of their own statements. */
export async function listUnaligned(
  db: Db,
  orgId: string,
  space: string,
  { insights, statements }: { insights: number; statements: number },
): Promise<{ insightIds: string[]; statements: UnalignedStatement[] }> {
  const centroids = await db
    .selectFrom('insight_centroids')
    .select('insight_id')
    .where('org_id', '=', orgId)
    .where(isElsewhere(space))
    .orderBy('insight_id')
    .limit(insights)
    .execute();
  const insightIds = centroids.map(({ insight_id }) => insight_id);
  const { rows } = await sql<UnalignedStatement>`
    select wanted.id as insight_id, said.id, said.content from unnest(${insightIds}::uuid[]) as wanted (id) cross join lateral (
      select id, content from insight_statements
      where org_id = ${orgId} and own_insight_id = wanted.id order by said_at desc, id desc limit ${statements}
    ) as said
  `.execute(db);
  return { insightIds, statements: rows };
}

/** Lists some vectors of an insight's own statements in a space, in the order of the statements, after one of them. */
export const listOwnVectors = (
  db: Db,
  orgId: string,
  { insightId, space, after }: { insightId: string; space: string; after: { said_at: Date; id: string } | undefined },
  limit: number,
) =>
  db
    .selectFrom('insight_statements')
    .select(['id', 'said_at', 'vector'])
    .where('org_id', '=', orgId)
    .where('own_insight_id', '=', insightId)
    .where('space', '=', space)
    .$if(after !== undefined, (query) => query.where(sql<boolean>`(said_at, id) > (${after?.said_at}, ${after?.id})`))
    .orderBy('said_at')
    .orderBy('id')
    .limit(limit)
    .$narrowType<{ vector: Buffer }>() // by the condition and a check of the table
    .execute();

/** Takes the next numbers of the org's insights, and returns the first one. */
export async function takeNumbers(trx: Trx, orgId: string, count: number): Promise<number> {
  const { first } = onlyRow(
    await sql<{ first: number }>`
      insert into insight_counters as counter (org_id, last_number) values (${orgId}, ${count})
      on conflict (org_id) do update set last_number = counter.last_number + ${count}
      returning last_number - ${count} + 1 as first
    `.execute(trx),
  );
  return first;
}

export interface NumberedInsight {
  id: string;
  number: number;
  content: string;
  source: string;
}

/** Inserts insights, each named by its first statement. */
export async function insertInsights(trx: Trx, orgId: string, insights: NumberedInsight[]): Promise<void> {
  await sql`
    insert into insights (org_id, id, root_id, number, content, named_by, name_sources)
    select ${orgId}::uuid, id, id, number, content, 'quote', array[source]
    from jsonb_to_recordset(${JSON.stringify(insights)}::jsonb) as made (id uuid, number integer, content text, source uuid)
  `.execute(trx);
}

export interface Assigned {
  id: string;
  own_insight_id: string;
  /** Whether its words were counted. */
  has_terms: boolean;
}

/** Assigns statements to insights, by the deciding vectors. */
export async function assign(trx: Trx, orgId: string, statements: (Assigned & NewVector)[]): Promise<void> {
  const places = statements.map(({ id, own_insight_id, has_terms }) => ({ id, own_insight_id, has_terms }));
  await updateVectors(trx, orgId, statements);
  await sql`
    update insight_statements as said
    set own_insight_id = made.own_insight_id, insight_id = insight.root_id, has_terms = made.has_terms
    from jsonb_to_recordset(${JSON.stringify(places)}::jsonb) as made (id uuid, own_insight_id uuid, has_terms boolean)
    join insights as insight on insight.org_id = ${orgId} and insight.id = made.own_insight_id
    where said.org_id = ${orgId} and said.id = made.id
  `.execute(trx);
}

/** Returns in how many of an org's texts these features occur, and adds one text with all of them. */
export async function countTerms(trx: Trx, orgId: string, buckets: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ bucket: number; texts: number }>`
    insert into insight_terms as term (org_id, bucket, texts)
    select ${orgId}::uuid, bucket, 1 from unnest(${buckets}::integer[]) as made (bucket) order by bucket
    on conflict (org_id, bucket) do update set texts = term.texts + 1
    returning bucket, texts
  `.execute(trx);
  return new Map(rows.map(({ bucket, texts }) => [bucket, texts]));
}

/** Takes back the counts added by texts, from the features of each, one after the other. */
export async function uncountTerms(trx: Trx, orgId: string, buckets: number[]): Promise<void> {
  await sql`
    update insight_terms as term set texts = term.texts - gone.texts
    from (select bucket, count(*) as texts from unnest(${buckets}::integer[]) as made (bucket) group by bucket) as gone
    where term.org_id = ${orgId} and term.bucket = gone.bucket
  `.execute(trx);
  await sql`
    delete from insight_terms where org_id = ${orgId} and bucket = any(${buckets}::integer[]) and texts <= 0
  `.execute(trx);
}

/** Returns in how many of an org's texts these features occur. */
export async function listTerms(db: Db, orgId: string, buckets: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ bucket: number; texts: number }>`
    select bucket, texts from insight_terms where org_id = ${orgId} and bucket = any(${buckets}::integer[])
  `.execute(db);
  return new Map(rows.map(({ bucket, texts }) => [bucket, texts]));
}
