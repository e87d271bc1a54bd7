import { z } from 'zod';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';

export const McpConfirmationRef = z.object({ id: Id });

export const ListMcpConfirmations = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
  all: z
    .enum(['true', 'false'])
    .default('false')
    .describe('true: also those that somebody has decided, or whose time is over.'),
});
export type ListMcpConfirmations = z.infer<typeof ListMcpConfirmations>;

export const McpConfirmation = z
  .object({
    id: Id,
    tool: z.string().describe('The name of the tool, such as `send_message`.'),
    title: z.string().describe('What the tool does.'),
    arguments: z.record(z.string(), z.unknown()),
    asked_by: z.string().describe('The name of the API key whose assistant asked.'),
    session_id: Id.nullable(),
    state: z
      .enum(['needs_confirmation', 'running', 'done', 'failed', 'rejected', 'expired'])
      .describe('`running` is over after a minute: a call whose outcome was not stored can be confirmed again.'),
    created_at: Timestamp,
    expires_at: Timestamp,
    decided_by: z.string().nullable().describe('The name of the member or key that decided.'),
    decided_at: Timestamp.nullable(),
    answer_status: z.int().nullable().describe('The HTTP status with which the operation answered.'),
    answer: z.unknown().describe('What the operation answered.'),
  })
  .meta({
    id: 'McpConfirmation',
    description: 'A call of a tool by an assistant that waits for a person, or what one has decided.',
  });

export const McpConfirmationPage = z.object({ items: z.array(McpConfirmation), next: z.string().nullable() });
