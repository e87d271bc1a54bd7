import { z } from 'zod';

const MAX_REASON = 5_000;
/** Ids of this system have 36 characters. */
const MAX_ID = 64;

const Reason = z.string().max(MAX_REASON).optional().describe('Kept in the audit: say why, not what.');

export const RedactMessage = z
  .object({ messageId: z.string().min(1).max(MAX_ID).describe('As in the session’s history.'), reason: Reason })
  .meta({
    id: 'RedactMessage',
    examples: [{ messageId: '0199a0c2-0000-7000-8000-000000000000', reason: 'A card number' }],
  });
export type RedactMessage = z.infer<typeof RedactMessage>;

export const RedactSession = z.object({ sessionId: z.string().min(1).max(MAX_ID), reason: Reason }).meta({
  id: 'RedactSession',
  examples: [{ sessionId: '0199a0c2-0000-7000-8000-000000000000', reason: 'Asked to be forgotten' }],
});
export type RedactSession = z.infer<typeof RedactSession>;

export const Redacted = z
  .object({
    success: z.boolean(),
    message: z.string(),
    itemId: z.string(),
    redactionType: z.enum(['message', 'session']),
    affectedCount: z.int().describe('Texts that were still there.'),
    messagesRedacted: z.int().optional().describe('Of a session.'),
  })
  .meta({ id: 'Redacted' });
