import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

export const MiawWebhook = z
  .object({
    event: z.literal('message:new').describe('A new message was sent in the conversation.'),
    session_id: Id.describe(
      'The session that was handed to Salesforce. The conversation has it as the attribute session_id.',
    ),
  })
  .meta({
    id: 'MiawWebhook',
    examples: [{ event: 'message:new', session_id: '00000000-0000-4000-8000-000000000000' }],
  });
export type MiawWebhook = z.infer<typeof MiawWebhook>;

export const MiawAccepted = z.object({ success: z.literal(true) });
