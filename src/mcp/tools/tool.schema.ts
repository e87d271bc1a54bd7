import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import type { KeyScope } from '../../schemas/scopes.ts';

/**
 * What a call of a tool does. `read` changes nothing, `write` is done once for its idempotency key, and `confirm` waits
 * for a person of the org.
 */
type ToolKind = 'read' | 'write' | 'confirm';

/** A tool is a row over one operation of the API, which validates, checks and limits the call as any other request. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  kind: ToolKind;
  scope: KeyScope;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path of the operation, with its parameters as in `/contacts/{id}`. */
  path: string;
  input: z.ZodObject;
  /** The body, where it is not the arguments that are left after those of the path. */
  bodyOf?(given: Record<string, unknown>): unknown;
}

export const SessionId = Id.describe('The id of a session.');

/** How many rows an answer has at most. */
export const Limit = z.int().min(1).max(100).optional().describe('Rows of a page: 20 unless given.');

export const NextCursor = z.string().max(500).optional().describe('`next` of the page before.');
