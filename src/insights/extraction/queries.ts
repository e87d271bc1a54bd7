import { sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { Statement } from './statements.rules.ts';

export const findExtraction = (db: Db, orgId: string, sessionId: string, number: number) =>
  db
    .selectFrom('insight_extractions')
    .select(['made_by', 'statements'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('number', '=', number)
    .executeTakeFirst();

/** Returns the numbers of these sessions' stored extractions. */
export const listExtractions = (db: Db, orgId: string, sessionIds: string[]) =>
  db
    .selectFrom('insight_extractions')
    .select(['session_id', 'number'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sql<string>`any(${sessionIds}::uuid[])`)
    .execute();

interface NewExtraction {
  sessionId: string;
  number: number;
  madeBy: string;
  statements: (Statement & { id: string })[];
}

/** Stores an extraction from a session. Existing statements stay unchanged. */
export async function insertExtraction(
  trx: Trx,
  orgId: string,
  { sessionId, number, madeBy, statements }: NewExtraction,
): Promise<void> {
  await trx
    .insertInto('insight_extractions')
    .values({ org_id: orgId, session_id: sessionId, number, made_by: madeBy, statements: statements.length })
    .onConflict((oc) => oc.doNothing())
    .execute();
  await sql`
    insert into insight_statements (org_id, id, session_id, message_id, kind, content, quote, sentiment, said_at)
    select ${orgId}::uuid, id, ${sessionId}::uuid, "messageId", kind, content, quote, sentiment, at
    from jsonb_to_recordset(${JSON.stringify(statements)}::jsonb) as made (id uuid, "messageId" uuid, kind text, content text, quote text,
      sentiment text, at timestamptz)
    on conflict do nothing
  `.execute(trx);
}

/** Lists the last extraction of some sessions that have statements without an insight. */
export async function listWaiting(db: Db, orgId: string, limit: number) {
  const { rows } = await sql<{ session_id: string; number: number }>`
    select waiting.session_id, max(extraction.number) as number from (
      select distinct session_id from insight_statements where org_id = ${orgId} and insight_id is null limit ${limit}
    ) as waiting
    join insight_extractions as extraction
      on extraction.org_id = ${orgId} and extraction.session_id = waiting.session_id and extraction.statements > 0
    group by waiting.session_id
  `.execute(db);
  return rows;
}
