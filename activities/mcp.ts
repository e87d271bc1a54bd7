import type { ListToolsInput, ListToolsResult } from '../src/actions/mcp/contract.ts';
import { listToolsDaily } from '../src/actions/mcp/daily-listings.service.ts';
import type { McpDeps } from '../src/actions/mcp/service.ts';

export type McpActivityDeps = McpDeps;

export type McpActivities = ReturnType<typeof createMcpActivities>;

export const createMcpActivities = ({ db, egress, secrets, calls }: McpActivityDeps) => ({
  /** Asks an MCP server for its tools, and holds those that have changed. Repeated, it asks and compares again. */
  listMcpTools: ({ orgId, name }: ListToolsInput): Promise<ListToolsResult> =>
    listToolsDaily({ db, egress, secrets, calls }, orgId, name),
});
