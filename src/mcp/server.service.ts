import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { hasScope } from '../schemas/scopes.ts';
import { callTool, type ToolCaller } from './calls.service.ts';
import { TOOLS } from './tools/service.ts';
import type { Tool } from './tools/tool.schema.ts';

const SERVER = { name: 'switchboard', title: 'Switchboard', version: '1.0' };

const IdempotencyKey = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe(
    'A new UUID for each purpose. The same key again does nothing, and returns the first result. Without one, the same arguments within a minute count as a repetition.',
  );

/**
 * Returns a server of the Model Context Protocol with the tools that the caller's key may use. It serves one request:
 * nothing is kept, so any process answers any request.
 */
export function createMcpServer(caller: ToolCaller): McpServer {
  const allowed = TOOLS.filter(({ scope }) => hasScope(caller.org, scope));
  const server = new McpServer(SERVER, {
    capabilities: { tools: { listChanged: false } },
    instructions: instructionsFor(allowed),
    requestState: { verify: caller.questionStates.verify },
  });
  for (const tool of allowed) register(server, caller, tool);
  return server;
}

function register(server: McpServer, caller: ToolCaller, tool: Tool): void {
  const { name, title, description, kind, input } = tool;
  const inputSchema =
    kind === 'write' && tool.method === 'POST'
      ? z.strictObject({ ...input.shape, idempotency_key: IdempotencyKey })
      : input;
  const annotations = {
    readOnlyHint: kind === 'read',
    destructiveHint: kind === 'confirm',
    idempotentHint: kind !== 'confirm',
    openWorldHint: kind === 'confirm',
  };
  server.registerTool(
    name,
    { title, description, inputSchema, annotations },
    (given: Record<string, unknown>, context: ServerContext) => callTool(caller, tool, given, context),
  );
}

/** Says what the key lacks, which no list of tools shows. */
function instructionsFor(allowed: readonly Tool[]): string {
  const missing = [...new Set(TOOLS.filter((tool) => !allowed.includes(tool)).map(({ scope }) => scope))];
  const lacks =
    missing.length === 0
      ? ''
      : ` The API key has fewer tools than there are: it lacks ${missing.toSorted().join(', ')}.`;
  return `Customer support of one organization: its contacts, conversations and knowledge. What reaches customers waits for a person who confirms it.${lacks}`;
}
