import { z } from 'zod';
import { MASK } from '../../orgs/integrations/schema.ts';
import { headerNameProblem, headerValueProblem } from '../../providers/egress/headers.rules.ts';
import { Id, Timestamp } from '../../schemas/parts.ts';

const MAX_HEADERS = 20;
const MAX_ACCEPTED = 200;
/** Headers that the protocol sets. */
const OF_PROTOCOL = /^(accept|content-type|idempotency-key|last-event-id|mcp-.*)$/i;

const ServerName = z
  .string()
  .max(40, { abort: true })
  .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be lower-case letters, digits, - and _, and begin with a letter or digit');

const Url = z
  .url({ protocol: /^https?$/, error: 'must be an https URL' })
  .max(2_048)
  .refine((url) => !/[{}#]/.test(url), 'must not have braces or a fragment')
  .refine((url) => URL.parse(url)?.username === '', 'must not hold a user name or password: use headers')
  .describe('Where the server takes requests. http is taken only for networks that the operator lets through.');

const Headers = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) {
      const ofProtocol = OF_PROTOCOL.test(name) ? 'is a header that the protocol sets' : undefined;
      const message = headerNameProblem(name) ?? ofProtocol ?? headerValueProblem(value);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
    }
    if (Object.keys(headers).length > MAX_HEADERS)
      context.addIssue({ code: 'custom', message: `must have at most ${MAX_HEADERS} keys` });
  })
  .describe(`Sent with each request, such as Authorization. Write-only: shown as "${MASK}", which sent back keeps it.`);

export const ConnectMcpServer = z
  .object({
    name: ServerName.describe('Begins the operation ids of its tools.'),
    url: Url,
    headers: Headers.default({}),
  })
  .meta({
    id: 'ConnectMcpServer',
    examples: [{ name: 'shop', url: 'https://shop.example.com/mcp', headers: { Authorization: 'Bearer secret' } }],
  });
export type ConnectMcpServer = z.infer<typeof ConnectMcpServer>;

/** Absent fields stay unchanged. */
export const UpdateMcpServer = z
  .object({ url: Url.optional(), headers: Headers.optional() })
  .meta({ id: 'UpdateMcpServer', examples: [{ headers: { Authorization: 'Bearer new-secret' } }] });
export type UpdateMcpServer = z.infer<typeof UpdateMcpServer>;

const ToolName = z.string().min(1).max(128);
const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the definition_hash of the tool');

export const AcceptMcpTools = z
  .object({
    tools: z
      .array(z.object({ name: ToolName, definition_hash: Hash }))
      .min(1)
      .max(MAX_ACCEPTED)
      .describe('The tools to turn on, each with the hash of the definition that was looked at.'),
  })
  .meta({ id: 'AcceptMcpTools', examples: [{ tools: [{ name: 'find_order', definition_hash: 'a'.repeat(64) }] }] });
export type AcceptMcpTools = z.infer<typeof AcceptMcpTools>;

export const McpServerRef = z.object({ name: ServerName });

const Definition = z
  .record(z.string(), z.unknown())
  .describe('name, title, description, inputSchema, outputSchema and annotations, in the words of the server.');

export const McpTool = z
  .object({
    name: z.string().describe('At the server.'),
    action_id: Id,
    state: z
      .enum(['new', 'accepted', 'changed', 'gone', 'unusable'])
      .describe('Only `accepted` tools are called. `unusable`: see problem.'),
    definition: Definition.nullable().describe('As the server lists it. null if it does not.'),
    definition_hash: z.string().nullable().describe('To accept the definition.'),
    accepted: Definition.nullable().describe('As it was accepted last. null: never.'),
    changes: z.array(z.string()).describe('Which parts differ from what was accepted.'),
    changed_at: Timestamp.nullable().describe('When it was first seen to differ.'),
    problem: z.string().nullable(),
  })
  .meta({ id: 'McpTool' });

export const McpServer = z
  .object({
    name: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()).describe(`Each value is shown as "${MASK}".`),
    protocol: z.string().nullable().describe('The version of the protocol, such as 2026-07-28.'),
    listed_at: Timestamp.nullable().describe('When its tools were last listed, also if the list was refused.'),
    tools: z.array(McpTool),
  })
  .meta({
    id: 'McpServer',
    description: 'A server of the Model Context Protocol whose tools are actions.',
  });

export const McpServerList = z.object({ items: z.array(McpServer), next: z.null() });
