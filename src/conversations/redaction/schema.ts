import { z } from 'zod';
import { Actor } from '../../schemas/actor.ts';
import { Cursor, Id, Timestamp } from '../../schemas/parts.ts';

const MAX_REASON = 5_000;
/** Ids of this system have 36 characters. */
const MAX_ID = 64;

export const RedactionReason = z.string().max(MAX_REASON).optional().describe('Kept in the audit: say why, not what.');

export const RedactMessage = z
  .object({
    messageId: z.string().min(1).max(MAX_ID).describe('As in the session’s history.'),
    reason: RedactionReason,
  })
  .meta({
    id: 'RedactMessage',
    examples: [{ messageId: '01900000-0000-7000-8000-000000000001', reason: 'A card number' }],
  });
export type RedactMessage = z.infer<typeof RedactMessage>;

export const RedactSession = z.object({ sessionId: z.string().min(1).max(MAX_ID), reason: RedactionReason }).meta({
  id: 'RedactSession',
  examples: [{ sessionId: '01900000-0000-7000-8000-000000000001', reason: 'Asked to be forgotten' }],
});
export type RedactSession = z.infer<typeof RedactSession>;

export const Redacted = z
  .object({
    success: z.boolean(),
    message: z.string(),
    itemId: z.string(),
    redactionType: z.enum(['message', 'session', 'feedback']),
    affectedCount: z.int().describe('Texts that were still there.'),
    messagesRedacted: z.int().optional().describe('Of a session.'),
  })
  .meta({ id: 'Redacted' });

export const ListRedactions = z.object({
  cursor: Cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  session_id: Id.optional().describe('Only those of this session.'),
});
export type ListRedactions = z.infer<typeof ListRedactions>;

const Redaction = z
  .object({
    id: Id,
    kind: z.enum(['message', 'session', 'feedback']),
    session_id: Id.nullable().describe('null: of no session.'),
    message_id: Id.nullable().describe('null: the whole session.'),
    feedback_id: Id.nullable(),
    actor: Actor.describe('Who asked for it.'),
    reason: z.string().nullable(),
    affected: z.int().describe('How many texts were still there.'),
    created_at: Timestamp,
  })
  .meta({ id: 'Redaction' });

export const RedactionPage = z.object({ items: z.array(Redaction), next: z.string().nullable() }).meta({
  id: 'RedactionPage',
});
