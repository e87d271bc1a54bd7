import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/**
 * Deletes the statements of a session's customer, or those possibly derived from one of its messages: a model has read
 * all of them, but mere quotes of another message stay. Returns each statement's contribution to insights.
 */
export const deleteStatements = (trx: Trx, orgId: string, sessionId: string, messageId: string | null) =>
  trx
    .deleteFrom('insight_statements')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .$if(messageId !== null, (query) =>
      query.where((eb) => eb.or([eb('message_id', '=', messageId ?? ''), eb('content', '<>', eb.ref('quote'))])),
    )
    .returning(['id', 'own_insight_id', 'insight_id', 'space', 'vector', 'content', 'has_terms'])
    .execute();

/**
 * Lists the insights of a session's statements: the present ones, those before a split, those after one, and all above
 * these.
 */
export async function listInsightsOfSession(trx: Trx, orgId: string, sessionId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive place (id) as (
      (
        select own_insight_id from insight_statements where org_id = ${orgId} and session_id = ${sessionId} and own_insight_id is not null
        union
        select unnest(array[moved.own_insight_id, operation.insight_id]) from insight_statements as said
        join insight_moves as moved on moved.org_id = said.org_id and moved.statement_id = said.id
        join insight_operations as operation on operation.org_id = moved.org_id and operation.id = moved.operation_id
        where said.org_id = ${orgId} and said.session_id = ${sessionId}
      )
      union
      select insight.merged_into from place join insights as insight on insight.org_id = ${orgId} and insight.id = place.id
      where insight.merged_into is not null
    )
    select id from place order by id
  `.execute(trx);
  return rows.map(({ id }) => id);
}

/** Lists those insights without a statement, counting those of their parts. */
export async function listEmpty(trx: Trx, orgId: string, insightIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive part (whole, id) as (
      select id, id from unnest(${insightIds}::uuid[]) as wanted (id)
      union all
      select part.whole, insight.id from part join insights as insight on insight.org_id = ${orgId} and insight.merged_into = part.id
    )
    select whole as id from part group by whole having not bool_or(exists (
      select from insight_statements where org_id = ${orgId} and own_insight_id = part.id
    )) order by whole
  `.execute(trx);
  return rows.map(({ id }) => id);
}

/** Takes the name away from an insight without statements. It is archived unless it is part of another one. */
export async function emptyInsight(
  trx: Trx,
  orgId: string,
  id: string,
  { content, reason }: { content: string; reason: string },
): Promise<void> {
  const name = { content, named_by: 'redaction' as const, name_sources: [], updated_at: sql<Date>`now()` };
  const archived = { status: 'archived' as const, archived_reason: reason, resolved_at: null, resolved_by: null };
  const insight = trx.updateTable('insights').where('org_id', '=', orgId).where('id', '=', id);
  await insight.set(name).execute();
  await insight
    .set({ ...archived, reopened_because: null })
    .where('merged_into', 'is', null)
    .execute();
}

/** Returns the number of the last extraction of a session. */
export async function findLastExtraction(trx: Trx, orgId: string, sessionId: string): Promise<number | undefined> {
  const row = await trx
    .selectFrom('insight_extractions')
    .select('number')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number;
}
