import type { WorkflowContract } from '../../temporal/contract.ts';

export interface ListToolsInput {
  orgId: string;
  /** The name of an MCP server. */
  name: string;
}

/** Asks an MCP server for its tools again, and holds those that have changed. */
export const LIST_MCP_TOOLS: WorkflowContract<ListToolsInput> = {
  type: 'listMcpTools',
  taskQueue: 'bulk',
  workflowId: ({ orgId, name }) => `mcp-tools/${orgId}/${name}`,
};

/** How many tools a server has, and how many of them nothing calls. */
export interface ListToolsResult {
  tools: number;
  held: number;
  /** False if the server is gone, or could not be asked. */
  isListed: boolean;
}
