import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';

/** Lists the latest statements of an insight with a vector in the org's space, the newest first. */
export const listRecentStatements = (db: Db, orgId: string, insightId: string, limit: number) =>
  db
    .selectFrom('insight_statements as said')
    .innerJoin('insight_spaces as space', (join) =>
      join.onRef('space.org_id', '=', 'said.org_id').onRef('space.space', '=', 'said.space'),
    )
    .select(['said.id', 'said.content', 'said.quote', 'said.vector'])
    .where('said.org_id', '=', orgId)
    .where('said.insight_id', '=', insightId)
    .$narrowType<{ vector: Buffer }>() // a statement of a space has a vector, by a check of the table
    .orderBy('said.said_at', 'desc')
    .orderBy('said.id', 'desc')
    .limit(limit)
    .execute();

/** Lists the sums of an insight and of those merged into it, in the org's space. */
export const listSumsOf = (db: Db, orgId: string, insightId: string) =>
  db
    .selectFrom('insights as insight')
    .innerJoin('insight_spaces as space', 'space.org_id', 'insight.org_id')
    .innerJoin('insight_centroids as centroid', (join) =>
      join
        .onRef('centroid.org_id', '=', 'insight.org_id')
        .onRef('centroid.insight_id', '=', 'insight.id')
        .onRef('centroid.space', '=', 'space.space'),
    )
    .select(['insight.root_id', 'centroid.sum', 'centroid.vectors'])
    .where('insight.org_id', '=', orgId)
    .where('insight.root_id', '=', insightId)
    .where('centroid.vectors', '>', 0)
    .execute();

/** Finds the last statement of an insight, whatever its vector. */
export const findLastStatement = (db: Db, orgId: string, insightId: string) =>
  db
    .selectFrom('insight_statements')
    .select(['id', 'content'])
    .where('org_id', '=', orgId)
    .where('insight_id', '=', insightId)
    .orderBy('said_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export interface NewName {
  content: string;
  named_by: 'quote' | 'model' | 'redaction';
  name_sources: string[];
  /** Its sessions when it was named. Absent: as before. */
  named_at_count?: number;
}

/** Names an insight unless somebody has named it by hand. */
export async function updateName(trx: Trx, orgId: string, id: string, name: NewName): Promise<void> {
  await trx
    .updateTable('insights')
    .set({ ...name, updated_at: sql<Date>`greatest(updated_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('named_by', '<>', 'person')
    .execute();
}

export async function setNameByHand(trx: Trx, orgId: string, id: string, content: string): Promise<void> {
  await trx
    .updateTable('insights')
    .set({ content, named_by: 'person', name_sources: [], updated_at: sql<Date>`greatest(updated_at, now())` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/**
 * Lists those insights with a name from a statement they no longer have, or with statements again after a redaction of
 * their name.
 */
export async function listMisnamed(db: Db, orgId: string, insightIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select insight.id from insights as insight
    where org_id = ${orgId} and id = any(${insightIds}::uuid[]) and merged_into is null and occurrence_count > 0 and (
      named_by = 'redaction' or named_by in ('quote', 'model') and exists (
        select from unnest(name_sources) as source (id) where not exists (
          select from insight_statements as said where said.org_id = ${orgId} and said.id = source.id and said.insight_id = insight.id
        )
      )
    )
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists all insights, merged ones too, with a name from one of these statements. */
export async function listInsightsNamedAfter(db: Db, orgId: string, statementIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from insights where org_id = ${orgId} and name_sources && ${statementIds}::uuid[] order by id
  `.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists the insights of a session with at least twice their sessions at their last naming. */
export async function listToName(
  db: Db,
  orgId: string,
  sessionId: string,
): Promise<{ id: string; occurrence_count: number }[]> {
  const { rows } = await sql<{ id: string; occurrence_count: number }>`
    select insight.id, insight.occurrence_count from insight_sessions as place
    join insights as insight on insight.org_id = place.org_id and insight.id = place.insight_id
    where place.org_id = ${orgId} and place.session_id = ${sessionId} and insight.named_by <> 'person'
      and insight.occurrence_count >= 2 * insight.named_at_count
    order by insight.number
  `.execute(db);
  return rows;
}

/** Whether an insight still has all of these statements. */
export async function hasStatements(db: Db, orgId: string, insightId: string, ids: string[]): Promise<boolean> {
  const row = await db
    .selectFrom('insight_statements')
    .select('id')
    .where('org_id', '=', orgId)
    .where('insight_id', '=', insightId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
  return row.length === ids.length;
}
