import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

/** The AI's reply to a contact's message. */
export const AutopilotResponse = z
  .object({
    type: z.literal('text'),
    value: z.object({ error: z.literal(false), content: z.string().describe('As Markdown.') }),
    id: Id.describe('The id of the AI’s message.'),
    mightSolveUserIssue: z.boolean(),
    completelyAndFullyCoveredUserIssue: z.boolean(),
    citations: z.array(
      z.object({
        item_id: Id,
        title: z.string(),
        url: z.string().nullable(),
        quote: z.string().nullable().describe('Unchanged from the item. null: the item is only pointed at.'),
      }),
    ),
  })
  .meta({ id: 'AutopilotResponse' });
