import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { McpActivities } from '../activities/mcp.ts';
import type { ListToolsInput } from '../src/actions/mcp/contract.ts';
import { WAKE } from '../src/temporal/contract.ts';
import { MCP_LISTING } from './activity-options.ts';
import { untilUnchanged } from './signals.ts';

const activities = proxyActivities<McpActivities>({ ...MCP_LISTING, summary: 'list the tools of an MCP server' });

/** Lists the tools of an MCP server, and again if that was requested meanwhile. */
export async function listMcpTools(input: ListToolsInput): Promise<void> {
  await untilUnchanged(WAKE, async () => {
    const { tools, held, isListed } = await activities.listMcpTools(input);
    setCurrentDetails(isListed ? `${tools} tools, ${held} of them held` : 'not listed: see the connection');
  });
}
