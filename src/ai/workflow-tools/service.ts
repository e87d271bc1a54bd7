import { operationIdOf } from '../../actions/definitions/operation-ids.rules.ts';
import { getAction, readActionsById, type StoredAction } from '../../actions/definitions/service.ts';
import type { Db, Trx } from '../../db/connect.ts';
import type { SessionChannel } from '../../schemas/parts.ts';
import { deleteTool, findTool, listToolsOn, type ToolRow, upsertTool } from './queries.ts';

/** A tool of the AI: an action, or a customer's workflow in the shape of one. */
export type Tool = StoredAction & { isWorkflow?: true };

/** How a workflow with an ai-trigger is offered to the AI. */
export interface WorkflowTool {
  workflowId: string;
  name: string;
  description: string | null;
  /** The JSON Schema of its arguments. Null: any object. */
  arguments: Record<string, unknown> | null;
  /** Null: all channels. */
  channels: SessionChannel[] | null;
  confirm: 'auto' | 'always';
  requiresVerified: boolean;
  /** JSON Logic over the arguments. */
  limits: unknown;
}

/** Offers an active workflow to the AI. Called again, it replaces how the workflow is offered. */
export const offerWorkflow = (trx: Trx, orgId: string, tool: WorkflowTool): Promise<void> =>
  upsertTool(trx, {
    org_id: orgId,
    workflow_id: tool.workflowId,
    name: tool.name,
    description: tool.description,
    arguments: jsonOrNull(tool.arguments),
    channels: tool.channels,
    confirm: tool.confirm,
    requires_verified: tool.requiresVerified,
    limits: jsonOrNull(tool.limits),
  });

/** Offers a workflow no longer. Its calls go on. */
export const withdrawWorkflow = (trx: Trx, orgId: string, workflowId: string): Promise<void> =>
  deleteTool(trx, orgId, workflowId);

/** Returns the workflows available to the AI on a channel. */
export const readWorkflowTools = async (db: Db, orgId: string, channel: SessionChannel): Promise<Tool[]> =>
  (await listToolsOn(db, orgId, channel)).map(toTool);

/** Returns the tool of a call in the ledger. Undefined if it is not there any more. */
export async function findToolOf(
  db: Db,
  orgId: string,
  { action_id, workflow_id }: { action_id: string | null; workflow_id: string | null },
): Promise<Tool | undefined> {
  if (action_id !== null) return (await readActionsById(db, orgId, [action_id]))[0];
  const tool = workflow_id === null ? undefined : await findTool(db, orgId, workflow_id);
  return tool && toTool(tool);
}

/** Returns the tool of a call in the ledger. Throws notFound. */
export async function getToolOf(
  db: Db,
  orgId: string,
  call: { action_id: string | null; workflow_id: string | null },
): Promise<Tool> {
  return (await findToolOf(db, orgId, call)) ?? getAction(db, orgId, call.action_id ?? call.workflow_id ?? '');
}

const ANY_OBJECT = { type: 'object' };

/** Returns a workflow as an action with its arguments as body. */
const toTool = (row: ToolRow): Tool => ({
  id: row.workflow_id,
  name: row.name,
  description: row.description,
  operation_id: operationIdOf(row.name),
  api_endpoint: '',
  request_type: 'POST',
  payload: {
    requestBody: { required: true, content: { 'application/json': { schema: row.arguments ?? ANY_OBJECT } } },
  },
  enabled_on_channel: { channels: row.channels ?? [] },
  connection: null,
  pinned: false,
  tags: [],
  require_form_submission: false,
  retry_safe: false,
  read_only: false,
  held: false,
  requires_verified: row.requires_verified,
  confirm: row.confirm,
  limits: row.limits,
  created_at: row.created_at,
  updated_at: row.created_at,
  isWorkflow: true,
});

const jsonOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);
