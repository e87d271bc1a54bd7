import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import { orderedByCreation, type PageRequest, type Position } from '../../db/cursor.ts';
import type { InsightOperationsTable } from '../table.ts';

/** Finds insights with their roots, and locks them. */
export const findLineages = (trx: Trx, orgId: string, ids: string[]) =>
  trx
    .selectFrom('insights')
    .select(['id', 'number', 'merged_into', 'root_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();

/** Makes an insight part of another one, with all its parts and their statements. */
export async function attach(trx: Trx, orgId: string, id: string, to: { id: string; rootId: string }): Promise<void> {
  await sql`
    update insights set merged_into = case when id = ${id} then ${to.id}::uuid else merged_into end, root_id = ${to.rootId},
      updated_at = now()
    where org_id = ${orgId} and root_id = ${id}
  `.execute(trx);
  await sql`
    update insight_statements set insight_id = ${to.rootId} where org_id = ${orgId} and insight_id = ${id}
  `.execute(trx);
}

/** SQL: the common table `part` with an insight and all its parts. */
const partsOf = (orgId: string, id: string) => sql`
  part (id) as (
    select ${id}::uuid
    union all
    select insight.id from part join insights as insight on insight.org_id = ${orgId} and insight.merged_into = part.id
  )`;

/** Makes a part of an insight independent again, with all its own parts and their statements. */
export async function detach(trx: Trx, orgId: string, id: string): Promise<void> {
  await sql`
    with recursive ${partsOf(orgId, id)}, moved as (
      update insights set merged_into = case when insights.id = ${id} then null else merged_into end, root_id = ${id},
        updated_at = now()
      from part where org_id = ${orgId} and insights.id = part.id
      returning insights.id
    )
    update insight_statements set insight_id = ${id}
    from moved where org_id = ${orgId} and own_insight_id = moved.id
  `.execute(trx);
}

/** Gives the centroids of an insight and its parts the org's next revision, for every cache to read them again. */
export async function touchCentroids(trx: Trx, orgId: string, rootIds: string[]): Promise<void> {
  await sql`
    with space as (
      update insight_spaces set revision = revision + 1 where org_id = ${orgId} returning revision
    )
    update insight_centroids as centroid set revision = space.revision
    from space, insights as insight
    where centroid.org_id = ${orgId} and insight.org_id = ${orgId} and insight.id = centroid.insight_id
      and insight.root_id = any(${rootIds}::uuid[])
  `.execute(trx);
}

export async function insertOperation(
  trx: Trx,
  operation: Pick<InsightOperationsTable, 'org_id' | 'id' | 'kind' | 'insight_id' | 'other_id' | 'done_by'>,
): Promise<void> {
  await trx.insertInto('insight_operations').values(operation).execute();
}

const OPERATION = ['id', 'kind', 'insight_id', 'other_id', 'done_by', 'undone_by', 'created_at', 'undone_at'] as const;

export const findOperationForUpdate = (trx: Trx, orgId: string, id: string) =>
  trx
    .selectFrom('insight_operations')
    .select(OPERATION)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const updateUndone = (trx: Trx, orgId: string, id: string, keyId: string) =>
  trx
    .updateTable('insight_operations')
    .set({ undone_by: keyId, undone_at: sql<Date>`now()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(OPERATION)
    .executeTakeFirstOrThrow();

export const listOperationsById = (db: Db, orgId: string, ids: string[]) =>
  db
    .selectFrom('insight_operations')
    .select(OPERATION)
    .where('org_id', '=', orgId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .execute();

/** Returns a page of operations in order of creation, all or those of an insight. */
export const listOperations = (db: Db, orgId: string, insightId: string | undefined, page: PageRequest) =>
  db
    .selectFrom('insight_operations')
    .select(OPERATION)
    .where('org_id', '=', orgId)
    .$if(insightId !== undefined, (query) =>
      query.where((eb) => eb.or([eb('insight_id', '=', insightId ?? ''), eb('other_id', '=', insightId ?? '')])),
    )
    .$call(orderedByCreation(page))
    .execute();

/** Finds statements of an insight. */
export const listStatementsOf = (db: Db, orgId: string, insightId: string, ids: string[]) =>
  db
    .selectFrom('insight_statements')
    .select(['id', 'own_insight_id', 'space', 'vector', 'content'])
    .where('org_id', '=', orgId)
    .where('insight_id', '=', insightId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .$narrowType<{ own_insight_id: string }>() // by a check of the table
    .orderBy('said_at')
    .orderBy('id')
    .execute();

export async function countStatements(db: Db, orgId: string, insightId: string): Promise<number> {
  const { count } = await db
    .selectFrom('insight_statements')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('insight_id', '=', insightId)
    .executeTakeFirstOrThrow();
  return count;
}

/** A statement with its insight before a split. */
export interface Moved {
  id: string;
  own_insight_id: string;
}

/** Records the insights of a split's statements before it. */
export async function insertMoves(trx: Trx, orgId: string, operationId: string, moved: Moved[]): Promise<void> {
  await sql`
    insert into insight_moves (org_id, operation_id, statement_id, own_insight_id)
    select ${orgId}::uuid, ${operationId}::uuid, id, own_insight_id
    from jsonb_to_recordset(${JSON.stringify(moved.map(({ id, own_insight_id }) => ({ id, own_insight_id })))}::jsonb)
      as made (id uuid, own_insight_id uuid)
  `.execute(trx);
}

/** Lists the remaining statements of a split with their vectors, and their insights now and before. */
export const listMoved = (db: Db, orgId: string, operationId: string) =>
  db
    .selectFrom('insight_moves as moved')
    .innerJoin('insight_statements as said', (join) =>
      join.onRef('said.org_id', '=', 'moved.org_id').onRef('said.id', '=', 'moved.statement_id'),
    )
    .select(['said.id', 'said.own_insight_id', 'said.space', 'said.vector', 'moved.own_insight_id as to'])
    .where('moved.org_id', '=', orgId)
    .where('moved.operation_id', '=', operationId)
    .$narrowType<{ own_insight_id: string }>() // only statements of an insight are split off
    .execute();

/** Makes statements those of other insights. */
export async function moveStatements(trx: Trx, orgId: string, moved: { id: string; to: string }[]): Promise<void> {
  await sql`
    update insight_statements as said set own_insight_id = insight.id, insight_id = insight.root_id
    from jsonb_to_recordset(${JSON.stringify(moved.map(({ id, to }) => ({ id, to })))}::jsonb) as made (id uuid, "to" uuid)
    join insights as insight on insight.org_id = ${orgId} and insight.id = made."to"
    where said.org_id = ${orgId} and said.id = made.id
  `.execute(trx);
}

/**
 * Finds a split, not undone, of an insight above this one: it took statements of this insight, or of one of its parts.
 * Returns the number of the insight made by it.
 */
export async function findSplitFromAbove(db: Db, orgId: string, id: string): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    with recursive ${partsOf(orgId, id)}
    select made.number from insight_moves as moved
    join insight_operations as operation on operation.org_id = moved.org_id and operation.id = moved.operation_id
      and operation.undone_at is null
    join insights as made on made.org_id = operation.org_id and made.id = operation.insight_id
    where moved.org_id = ${orgId} and moved.own_insight_id in (select id from part) and operation.other_id not in (select id from part)
    order by made.number desc limit 1
  `.execute(db);
  return rows[0]?.number;
}

/** Lists the occurrences of an insight before a position, the latest first, plus one more if there is one. */
export const listOccurrences = (
  db: Db,
  orgId: string,
  insightId: string,
  { before, limit }: { before: Position | undefined; limit: number },
) =>
  db
    .selectFrom('insight_statements')
    .select(['id', 'session_id', 'message_id', 'kind', 'content', 'quote', 'sentiment', 'said_at', 'created_at'])
    .where('org_id', '=', orgId)
    .where('insight_id', '=', insightId)
    .$if(before !== undefined, (query) =>
      query.where(sql<boolean>`(said_at, id) < (${before?.at}::timestamptz, ${before?.id}::uuid)`),
    )
    .orderBy('said_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
