import { sql } from 'kysely';
import type { Db } from '../../src/db/connect.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { newId } from '../../src/ids.ts';
import { createCentroidCache } from '../../src/insights/assignment/centroid-cache.ts';
import { assignStatements } from '../../src/insights/assignment/service.ts';
import { insertExtraction } from '../../src/insights/extraction/queries.ts';
import { redactInsights } from '../../src/insights/redaction/service.ts';
import { addMessage } from '../support/messages.ts';
import type { TestOrg } from '../support/stack/api.ts';
import { eventually, type Stack } from '../support/stack/stack.ts';

export interface InsightAnswer {
  id: string;
  number: number;
  content: string;
  category: string | null;
  status: string;
  sentiment: string | null;
  occurrence_count: number;
  team: { id: string; name: string } | null;
  resolved_at: string | null;
  resolved_by: string | null;
  archived_reason: string | null;
  reopened_because: string | null;
}

/** Opens a session in which the contact says this. */
async function sessionSaying(stack: Pick<Stack, 'db'>, org: TestOrg, ...texts: string[]): Promise<string> {
  const { id } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  for (const content of texts)
    await inTransaction(stack.db, (trx) =>
      addMessage(trx, org.id, { id: newId(), sessionId: id, sender: 'contact', content }),
    );
  return id;
}

const resolve = (org: TestOrg, id: string) => org.patch(`/chat/sessions/${id}`, { status: 'closed_resolved' });

/** Opens and resolves a session, and waits until what was said there belongs to insights. */
export async function resolvedSaying(stack: Stack, org: TestOrg, ...texts: string[]): Promise<string> {
  const id = await sessionSaying(stack, org, ...texts);
  await resolve(org, id);
  await extracted(stack, org, id);
  return id;
}

/** Waits until some number of extractions of a session are done and everything said belongs to insights. */
export const extracted = (stack: Pick<Stack, 'db'>, org: TestOrg, sessionId: string, times = 1) =>
  eventually('an extraction', async () => {
    const ofSession = <Table extends 'insight_extractions' | 'insight_statements'>(table: Table) =>
      stack.db
        .selectFrom(table as 'insight_statements')
        .selectAll()
        .where('org_id', '=', org.id)
        .where('session_id', '=', sessionId);
    const done = await ofSession('insight_extractions').execute();
    const left = await ofSession('insight_statements').where('insight_id', 'is', null).execute();
    return (done.length >= times && left.length === 0) || undefined;
  });

export const insightsOf = async (org: TestOrg, query: object = {}): Promise<InsightAnswer[]> =>
  (await org.post('/insights', query)).body.data;

/** The whole of an org's data in the tables of insights and in the outbox, as one text. */
export async function storedTextOf(stack: Pick<Stack, 'db'>, org: TestOrg): Promise<string> {
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'org_id' and (table_name like 'insight%' or table_name = 'outbox') group by 1
  `.execute(stack.db);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql`select to_jsonb(t) as row from ${sql.table(name)} t where org_id = ${org.id}`.execute(
      stack.db,
    );
    texts.push(JSON.stringify(rows));
  }
  return texts.join('\n');
}

/** Opens a session with statements, assigned by their words or vectors: as the activities do, without a workflow. */
export async function sessionWith(
  db: Db,
  org: TestOrg,
  texts: string[],
  made?: { space: string; vectorOf: (text: string) => Buffer },
  cache = createCentroidCache(),
): Promise<string> {
  const { id: sessionId } = (await org.post('/chat/sessions', { channel: { type: 'api' } })).body;
  const statements = texts.map((text) => ({
    ...{ id: newId(), kind: 'problem' as const, messageId: newId(), at: new Date(), sentiment: null },
    ...{ content: text, quote: text },
  }));
  await inTransaction(db, (trx) => insertExtraction(trx, org.id, { sessionId, number: 1, madeBy: 'test', statements }));
  for (const { id, content } of made === undefined ? [] : statements)
    await db
      .updateTable('insight_statements')
      .set({ space: made?.space ?? null, vector: made?.vectorOf(content) ?? null })
      .where('org_id', '=', org.id)
      .where('id', '=', id)
      .execute();
  await assignStatements(db, cache, org.id, sessionId);
  return sessionId;
}

/** Redacts sessions, as the reaction to it does. */
export const redactedFrom = (db: Db, org: TestOrg, sessionIds: string[]): Promise<void> =>
  inTransaction(db, (trx) =>
    redactInsights(trx, org.id, sessionIds.map((id) => ({ subject_id: id, payload: { message_id: null } })) as never),
  );
