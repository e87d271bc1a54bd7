import type { Client } from '@temporalio/client';
import { sql } from 'kysely';
import type { Db } from '../../../src/db/connect.ts';
import { textsIn } from '../payloads.ts';

/** Every row of every table, as text, in which the word stands. */
export async function rowsWith(db: Db, word: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t where t::text ilike ${`%${word}%`}
    `.execute(db);
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  return found;
}

/** Workflows of an org in whose history or description the word stands, in any payload. */
export async function historiesWith(client: Client, orgId: string, word: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId, runId } of client.workflow.list({ query: `OrgId = '${orgId}'` })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [{ raw }, { events }] = await Promise.all([handle.describe(), handle.fetchHistory()]);
    if (textsIn([workflowId, raw, events]).includes(word)) found.push(workflowId);
  }
  return found;
}
