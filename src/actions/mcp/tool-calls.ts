import { conflict, type DomainError, notFound } from '../../errors.ts';
import { EgressError, type EgressResponse } from '../../providers/egress/egress.ts';
import { type McpAnswer, withMcpServer } from '../../providers/mcp/client.ts';
import type { CallDeps } from '../calls/deps.ts';
import { issuesOf } from '../calls/parameter-schemas.ts';
import type { StoredAction } from '../definitions/service.ts';
import { oneLine, type ToolDefinition } from './definitions.rules.ts';
import { listTools, RefusedList } from './listings.ts';
import { findToolOfAction, forgetVerdict } from './queries.ts';
import { type ServerAddress, withoutSecretsOf } from './server-secrets.ts';
import { findConnection, holdTools, KIND, storeServerListing } from './service.ts';

const MAX_TIMEOUT_MS = 30_000;
/** What a tool that has answered with an error may have done is not known, but for arguments that it did not take. */
const REFUSED_ARGUMENTS = /^Input validation error/;
const MAX_ISSUES = 3;

export interface ToolCall {
  arguments: Record<string, unknown>;
  /** The id of the call, by which a server can do it once. */
  key: string;
  timeoutMs: number;
  proposedAt?: Date | undefined;
}

/** Returns whether an action is a tool of an MCP server. */
export const isTool = ({ connection }: Pick<StoredAction, 'connection'>): boolean => connection?.kind === KIND;

/**
 * Calls a tool by the definition that a person has accepted, once. Before one that may change something, a list that is
 * older than five minutes is read again. An answer has the status 200, and 422 if the tool says that it is an error. Throws
 * conflict for a tool that is held, and EgressErrors.
 */
export async function callTool(
  deps: CallDeps,
  orgId: string,
  actionId: string,
  call: ToolCall,
): Promise<EgressResponse & { mayHaveActed: boolean }> {
  const { db, egress, secrets, calls } = deps;
  const known = await findToolOfAction(db, orgId, actionId);
  if (known === undefined) throw notFound('tool');
  const { server } = known;
  const connection = await findConnection(db, secrets, orgId, server);
  if (connection === undefined) throw notFound('MCP server');
  // Read behind the connection: another address holds the tools until they are accepted again.
  const tool = await findToolOfAction(db, orgId, actionId);
  const definition = assertCurrent(tool, call);
  if (tool === undefined) throw notFound('tool');
  const { verdict } = tool;
  const { url, headers, savedAt } = connection;
  const called = { orgId, kind: KIND, name: server, settings: { headers: JSON.stringify(headers) } } as const;
  try {
    const answer = await withMcpServer(
      egress,
      { url, headers, verdict },
      Math.min(call.timeoutMs, MAX_TIMEOUT_MS),
      async (connected) => {
        if (!tool.read_only && !tool.is_listed_lately) {
          const answered = { name: server, listedAt: tool.now, savedAt };
          const listing = await listTools(connected, connection).catch(async (error: unknown) => {
            if (error instanceof RefusedList)
              await holdTools(db, secrets, orgId, { ...answered, problem: error.message });
            throw error;
          });
          await storeServerListing(db, secrets, orgId, { ...answered, listing });
          assertCurrent(await findToolOfAction(db, orgId, actionId), call);
        }
        const { name, inputSchema } = definition;
        const schema = { ...inputSchema, type: 'object' as const };
        return connected.callTool({ id: call.key, name, arguments: call.arguments, inputSchema: schema });
      },
    );
    calls.noteSuccess(called);
    return responseOf(answer, definition, connection);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const { transient, mayHaveArrived, problem } = error;
    const message = withoutSecretsOf(connection, error.message);
    calls.noteUnusable(called, message);
    if (!mayHaveArrived && !transient) await forgetVerdict(db, orgId, server); // it may speak another version by now
    throw new EgressError(message, { transient, mayHaveArrived, problem, cause: error });
  }
}

/** Returns the accepted definition. Throws notFound, and conflict where it is not what a call was proposed for. */
function assertCurrent(tool: Awaited<ReturnType<typeof findToolOfAction>>, { proposedAt }: ToolCall): ToolDefinition {
  if (tool === undefined) throw notFound('tool');
  if (tool.accepted === null || tool.held) throw changed(tool.tool);
  if (proposedAt !== undefined && tool.accepted_at !== null && tool.accepted_at > proposedAt) throw changed(tool.tool);
  return tool.accepted;
}

const changed = (tool: string): DomainError =>
  conflict(`tool_changed: ${oneLine(tool, 100)} is not as it was accepted, and was not called`);

/** Returns an answer as that of an HTTP action. Only texts and structured content are kept of it. */
function responseOf(
  { isError, content, structuredContent }: McpAnswer,
  { outputSchema }: ToolDefinition,
  server: ServerAddress,
) {
  const texts = content.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const text = texts.join('\n');
  const leftOut = content.length - texts.length;
  const issues =
    outputSchema === undefined || structuredContent === undefined || isError
      ? []
      : issuesOf(outputSchema, structuredContent, 'structured');
  const notes = [
    ...(leftOut > 0 ? [`${leftOut} parts that are no text were left out`] : []),
    ...issues
      .slice(0, MAX_ISSUES)
      .map(({ path, message }) => `The answer breaks the schema of the tool: ${path}: ${message}`),
  ];
  const body = {
    ...(isError && { is_error: true }),
    ...(!isSameJson(text, structuredContent) && { text }),
    ...(structuredContent !== undefined && { structured: structuredContent }),
    ...(notes.length > 0 && { notes }),
  };
  return {
    status: isError ? 422 : 200,
    headers: { 'content-type': 'application/json' },
    body: withoutSecretsOf(server, JSON.stringify(body)),
    url: server.url,
    mayHaveActed: isError && !REFUSED_ARGUMENTS.test(text),
  };
}

/** Servers repeat structured content as text, for older clients. */
function isSameJson(text: string, structured: unknown): boolean {
  if (structured === undefined) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}
