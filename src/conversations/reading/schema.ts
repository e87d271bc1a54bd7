import { z } from 'zod';
import { Id } from '../../schemas/parts.ts';

export const MarkRead = z
  .object({ up_to: Id.optional().describe('The id of the last item of the history that was read. Absent: all of it.') })
  .meta({ id: 'MarkChatSessionRead', examples: [{}] });
export type MarkRead = z.infer<typeof MarkRead>;

export const ReadMark = z
  .object({
    read_up_to: Id.nullable().describe('The last item that the member has read. A mark never goes back.'),
    unread: z
      .boolean()
      .describe('Whether the contact wrote since, or the member wants the session to count as unread.'),
  })
  .meta({ id: 'ReadMark' });
