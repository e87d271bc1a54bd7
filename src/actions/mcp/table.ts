import type { ColumnType, Generated } from 'kysely';
import type { McpVerdict } from '../../providers/mcp/client.ts';
import type { ToolDefinition } from './definitions.rules.ts';

/** An MCP server of an org. Its address and headers are in its connection of the same name. */
export interface McpServersTable {
  org_id: string;
  name: string;
  /** Which era of the protocol it speaks. Null if it has to be found out. */
  verdict: ColumnType<McpVerdict | null, string | null, string | null>;
  protocol: string | null;
  /** When the request for its latest list began, also if that list was refused. */
  listed_at: Date | null;
  /** When its list was last asked for, also if there was no answer. */
  requested_at: Generated<Date>;
}

/** A tool of an MCP server. Its action is held unless what is listed is what was accepted. */
export interface McpToolsTable {
  org_id: string;
  server: string;
  /** Its name at the server. */
  tool: string;
  action_id: string;
  /** As the server lists it. Null if it does not any more. */
  listed: ColumnType<ToolDefinition | null, string | null, string | null>;
  /** SHA-256 of the canonical definition, in hex. */
  listed_hash: string | null;
  /** Why it cannot be called as it is listed. */
  problem: string | null;
  /** As a person has accepted it. */
  accepted: ColumnType<ToolDefinition | null, string | null, string | null>;
  accepted_hash: string | null;
  accepted_at: Date | null;
  /** When the list was first seen with another definition than the accepted one. */
  changed_at: Date | null;
}

declare module '../../db/database.ts' {
  interface Database {
    mcp_servers: McpServersTable;
    mcp_tools: McpToolsTable;
  }
}
