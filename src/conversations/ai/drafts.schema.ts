import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';
import { MessageText } from '../messages/schema.ts';

export const AiDraftPath = z.object({
  id: Id.describe('The session.'),
  draftId: z.string().min(1).max(64).describe('The id of the history’s item with `is_draft`.'),
});

export const SendAiDraft = z
  .object({
    text: MessageText.refine((text) => text.trim() !== '', 'must say something')
      .optional()
      .describe('The text to send in place of the draft’s.'),
  })
  .meta({ id: 'SendAiDraft', examples: [{ text: 'Your refund arrives within five working days.' }] });
export type SendAiDraft = z.infer<typeof SendAiDraft>;

export const SentAiDraft = z
  .object({ message_id: Id.describe('The id of the message in the history.') })
  .meta({ id: 'SentAiDraft' });
