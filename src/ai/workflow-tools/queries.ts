import { type Insertable, sql } from 'kysely';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import type { AiWorkflowToolsTable } from './table.ts';

export async function upsertTool(trx: Trx, tool: Insertable<AiWorkflowToolsTable>): Promise<void> {
  const { org_id: _org, workflow_id: _workflow, ...changes } = tool;
  await trx
    .insertInto('ai_workflow_tools')
    .values(tool)
    .onConflict((oc) => oc.columns(['org_id', 'workflow_id']).doUpdateSet(changes))
    .execute();
}

export async function deleteTool(trx: Trx, orgId: string, workflowId: string): Promise<void> {
  await trx.deleteFrom('ai_workflow_tools').where('org_id', '=', orgId).where('workflow_id', '=', workflowId).execute();
}

const tools = (db: Db, orgId: string) =>
  db
    .selectFrom('ai_workflow_tools')
    .selectAll()
    .where('org_id', '=', orgId)
    .orderBy('created_at')
    .orderBy('workflow_id');

/** Lists the workflows offered on a channel. */
export const listToolsOn = (db: Db, orgId: string, channel: SessionChannel) =>
  tools(db, orgId).where(sql<boolean>`coalesce(${channel} = any(channels), true)`).execute();

export const findTool = (db: Db, orgId: string, workflowId: string) =>
  tools(db, orgId).where('workflow_id', '=', workflowId).executeTakeFirst();

export type ToolRow = NonNullable<Awaited<ReturnType<typeof findTool>>>;
