import { sql } from 'kysely';
import type { Trx } from '../../db/connect.ts';

/** Deletes what a session's customer said, and returns what each statement has added to insights. */
export const deleteStatements = (trx: Trx, orgId: string, sessionId: string) =>
  trx
    .deleteFrom('insight_statements')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .returning(['id', 'own_insight_id', 'insight_id', 'space', 'vector'])
    .execute();

/** Takes the name away from an insight without statements. One that is not part of another one is archived. */
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
  const found = await trx
    .selectFrom('insight_extractions')
    .select('number')
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.number;
}
